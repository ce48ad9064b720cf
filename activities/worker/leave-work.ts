/**
 * How a worker leaves its workflows to others. A workflow task with a local activity stays with its worker until the activity succeeds, so the worker
 * ends these activities and fails their tasks. Temporal then gives each task to the next worker that asks for one. Nothing of it is in the history.
 */
import { ApplicationFailure } from '@temporalio/common';
import type { ActivityInterceptorsFactory } from '@temporalio/worker';

const text = 'The worker leaves its work to others';

/** Ends the local activities, without another attempt. What one has begun in PostgreSQL may still commit: each may run twice. */
export const leaveLocalActivities =
  (leaving: AbortSignal): ActivityInterceptorsFactory =>
  ({ info }) => {
    if (!info.isLocal) return {};
    return {
      inbound: {
        execute: (input, next) =>
          new Promise((resolve, reject) => {
            const leave = () => reject(ApplicationFailure.nonRetryable(text));
            if (leaving.aborted) return leave();
            leaving.addEventListener('abort', leave);
            void next(input)
              .then(resolve, reject)
              .finally(() => leaving.removeEventListener('abort', leave));
          }),
      },
    };
  };

/** The part of an activation that tells of results. */
interface Activation {
  jobs?: readonly { resolveActivity?: object | null }[] | null;
}

/**
 * Keeps the failure of an activity that was ended from the workflow.
 * @throws Error which fails the workflow task
 */
export function refuseIfLeft(leaving: AbortSignal, { jobs }: Activation): void {
  if (leaving.aborted && jobs?.some(({ resolveActivity }) => resolveActivity) === true) throw new Error(text);
}
