import assert from 'node:assert/strict';
import { ApplicationFailure } from '@temporalio/common';
import { MockActivityEnvironment } from '@temporalio/testing';

/** The state of an activity: its attempt, and the details of its last heartbeat. */
export interface Standing {
  attempt?: number;
  heartbeatDetails?: unknown;
  scheduledTimestampMs?: number;
  /** HANDOFF_TIMEOUT; four hours by default. */
  scheduleToCloseTimeoutMs?: number;
  priority?: { fairnessKey: string };
}

const scheduleToCloseTimeoutMs = 4 * 3_600_000;
/** As in `dispatching`. */
const retryPolicy = { initialInterval: 500, backoffCoefficient: 2, maximumInterval: 60_000 };

/** Runs an activity like a worker, with this attempt number. */
export const inActivity = <Args extends unknown[], Result>(
  activity: (...args: Args) => Promise<Result>,
  args: Args,
  standing: Standing | number = {},
): Promise<Result> => {
  const info = typeof standing === 'number' ? { attempt: standing } : standing;
  const environment = new MockActivityEnvironment({ scheduledTimestampMs: Date.now(), scheduleToCloseTimeoutMs, retryPolicy, ...info });
  return environment.run(() => activity(...args)) as Promise<Result>;
};

/** A Temporal client that starts and signals nothing. */
export const silentStarts = { wakeGroup: () => Promise.resolve() };

/** The failure that the activity reports to Temporal. */
export async function failureOf(work: Promise<unknown>): Promise<ApplicationFailure> {
  const error = await work.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  assert.ok(error instanceof ApplicationFailure, String(error));
  return error;
}
