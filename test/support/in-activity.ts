import { MockActivityEnvironment } from '@temporalio/testing';

/** Runs an activity as a worker would, at this attempt. */
export const inActivity = <Args extends unknown[], Result>(
  activity: (...args: Args) => Promise<Result>,
  args: Args,
  attempt = 1,
): Promise<Result> => new MockActivityEnvironment({ attempt }).run(() => activity(...args)) as Promise<Result>;
