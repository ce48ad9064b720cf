import { setTimeout as rest } from 'node:timers/promises';
import type { Logger } from '../../models/process/logger.js';

const restMsMin = 50;
const restMsMax = 1_000;

/**
 * Asks the database what was decided, again and again until it tells. A request must not be answered before: 500 says that nothing is charged.
 * A client that waits for too long is cut off without an answer; see `silenceMs` of the HTTP server.
 * @param ask may run several times
 */
export async function untilKnown<Answer>(logger: Logger, ask: () => Promise<Answer>): Promise<Answer> {
  for (let restMs = restMsMin; ; restMs = Math.min(2 * restMs, restMsMax)) {
    try {
      return await ask();
    } catch (err) {
      logger.warn({ err }, 'what was decided is not known yet: asking again');
    }
    await rest(restMs);
  }
}
