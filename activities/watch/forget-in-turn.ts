import { ApplicationFailure } from '@temporalio/activity';
import type { Logger } from '../../models/process/logger.js';

/** Deletes old data of one kind. @returns the counts for the log */
export type Forget = () => Promise<Record<string, number>>;

/**
 * Deletes old data kind by kind. One that fails does not stop the others. When the time is up, no further one begins.
 * @param untilMs milliseconds since 1970
 * @throws ApplicationFailure that is not retried, with the kinds that failed or did not begin: the next run is soon, and begins with all of them
 */
export async function forgetInTurn(forgetting: Readonly<Record<string, Forget>>, untilMs: number, logger: Logger): Promise<void> {
  const failed: string[] = [];
  const left: string[] = [];
  for (const [kind, forget] of Object.entries(forgetting)) {
    if (Date.now() >= untilMs) {
      left.push(kind);
      continue;
    }
    try {
      const forgotten = await forget();
      if (Object.values(forgotten).some((count) => count > 0)) logger.info({ kind, ...forgotten }, 'deleted old data');
    } catch (err) {
      logger.error({ err, kind }, 'could not delete old data');
      failed.push(kind);
    }
  }
  if (left.length > 0) logger.warn({ left }, 'the deletion of old data continues in the next run');
  if (failed.length + left.length > 0)
    throw ApplicationFailure.nonRetryable(`could not delete old ${[...failed, ...left].join('; ')}`, 'NotForgotten');
}
