import { errors, Worker } from '@temporalio/worker';

/**
 * A worker that stops in the normal way after a poll has failed: it finishes its activities, and `run` resolves. After a failed poll for
 * workflows the native worker takes no more work. It ends only when its polls were repeated until they say so. The SDK's worker does not repeat them:
 * `run` then waits for ever, or it rejects because a poll of another kind is still open.
 * @param failed is called with the error of each failed poll. It must shut the worker down
 */
export const drainingWorker = (failed: (error: Error) => void) =>
  class DrainingWorker extends Worker {
    protected override pollLoop$<Task>(poll: () => Promise<Task>) {
      return super.pollLoop$(() => untilItSucceeds(poll, failed));
    }
  };

async function untilItSucceeds<Task>(poll: () => Promise<Task>, failed: (error: Error) => void): Promise<Task> {
  for (;;) {
    try {
      return await poll();
    } catch (error) {
      if (!(error instanceof errors.TransportError)) throw error; // also the one that says that there is no more work
      failed(error);
    }
  }
}
