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
  const left: string[] = [];
  for (const [name, forget] of Object.entries(forgetting)) {
    try {
      if (Date.now() >= untilMs) throw new Error('the time is up');
      const forgotten = await forget();
      if (Object.values(forgotten).some((count) => count > 0)) logger.info(forgotten, `deleted old ${name}`);
    } catch (err) {
      logger.error({ err }, `could not delete old ${name}`);
      left.push(name);
    }
  }
  if (left.length > 0) throw ApplicationFailure.nonRetryable(`could not delete old ${left.join('; ')}`, 'NotForgotten');
}
