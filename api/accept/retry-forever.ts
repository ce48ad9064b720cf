import { retry } from '../../models/flow/retry.js';
import type { Logger } from '../../models/process/logger.js';

/**
 * Repeats a database query until it succeeds. The request must not be answered before its outcome is known, because a 500 promises that
 * nothing was charged. The connection stays open for as long as the client waits, see `closeIdle` in open-responses.ts.
 * @param query may run several times
 */
export const retryForever = <Result>(logger: Logger, query: () => Promise<Result>): Promise<Result> =>
  retry(query, { logger, text: 'the outcome of the request is unknown; reading it again' });
