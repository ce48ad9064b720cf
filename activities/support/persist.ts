import { retry } from '../../models/flow/retry.js';
import type { Logger } from '../../models/process/logger.js';

export interface PersistDeps {
  logger: Logger;
  /** How long a write is repeated. Default: two minutes, the time that an uncertain message waits for its report. */
  persistMs?: number;
}

/**
 * Repeats a write until the database accepts it, so that a failover or restart of the database loses no answer of a provider.
 * @param what what the write does, for the log line
 * @throws the last error when the time is over
 */
export const persist = (what: string, write: () => Promise<void>, { logger, persistMs = 120_000 }: PersistDeps): Promise<void> =>
  retry(write, { logger, text: 'a database write failed; repeating it', fields: { what }, forMs: persistMs });
