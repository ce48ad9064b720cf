import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from '../../models/process/logger.js';

const firstPauseMs = 100;
const longestPauseMs = 2_000;

export interface PersistDeps {
  logger: Logger;
  /** How long a write is repeated: two minutes by default, as an uncertain message waits for its report. */
  persistMs?: number;
}

/**
 * Repeats a write until the database takes it. What a provider answered must not be lost because the database fails
 * over, is restarted or refuses one transaction at that moment. The write must be safe to repeat.
 * @throws the last error, when the time is over
 */
export async function persist(write: () => Promise<void>, { logger, persistMs = 120_000 }: PersistDeps): Promise<void> {
  const until = performance.now() + persistMs;
  for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(2 * pauseMs, longestPauseMs)) {
    try {
      return await write();
    } catch (err) {
      if (performance.now() >= until) throw err;
      logger.warn({ err }, 'answers of a provider could not be recorded, trying again');
      await sleep(pauseMs * (0.75 + 0.5 * Math.random()));
    }
  }
}
