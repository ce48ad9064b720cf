import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from '../../models/process/logger.js';

const pauseMsMin = 50;
const pauseMsMax = 1_000;

/**
 * Repeats a database query until it succeeds. The request must not be answered before its outcome is known, because a 500 promises that
 * nothing was charged. The HTTP server closes the connection of a client that waits too long, see `idleMs` in http-server.ts.
 * @param query may run several times
 */
export async function retryForever<Result>(logger: Logger, query: () => Promise<Result>): Promise<Result> {
  for (let pauseMs = pauseMsMin; ; pauseMs = Math.min(2 * pauseMs, pauseMsMax)) {
    try {
      return await query();
    } catch (err) {
      logger.warn({ err }, 'the outcome of the request is unknown; reading it again');
    }
    await sleep(pauseMs);
  }
}
