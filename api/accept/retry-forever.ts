import { repeat } from '../../models/flow/repeat.js';
import type { Logger } from '../../models/process/logger.js';

/**
 * Repeats a database query until it succeeds. The request must not be answered before its outcome is known, because a 500 promises that
 * nothing was charged. The HTTP server closes the connection of a client that waits too long, see `idleMs` in http-server.ts.
 * @param query may run several times
 */
export const retryForever = <Result>(logger: Logger, query: () => Promise<Result>): Promise<Result> =>
  repeat(query, { logger, text: 'the outcome of the request is unknown; reading it again' });
