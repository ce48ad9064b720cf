import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from '../../models/process/logger.js';

const firstPauseMs = 100;
const longestPauseMs = 2_000;

export interface PersistDeps {
  logger: Logger;
  /** How long a write is repeated. Default: two minutes, the time that an uncertain message waits for its report. */
  persistMs?: number;
}

/**
 * Repeats a write until the database accepts it, so that a failover or restart of the database loses no answer of a provider. The write
 * must be safe to repeat. Only its first failure is logged: an outage would fill the log with the same line.
 * @param what what the write does, for the log line
 * @throws the last error when the time is over
 */
export async function persist(what: string, write: () => Promise<void>, { logger, persistMs = 120_000 }: PersistDeps): Promise<void> {
  const until = performance.now() + persistMs;
  let isRepeated = false;
  for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(2 * pauseMs, longestPauseMs)) {
    try {
      return await write();
    } catch (err) {
      if (performance.now() >= until) throw err;
      if (!isRepeated) logger.warn({ err }, `could not ${what}, retrying`);
      isRepeated = true;
      await sleep(pauseMs * (0.75 + 0.5 * Math.random()));
    }
  }
}
