/** When the watcher last completed a run: its heartbeat for health checks. */
import { type Database, select } from '../../db/database.js';

/** The watcher runs every 30 seconds. A last run longer ago than this is reported as an error. */
export const watcherAgeSecondsMax = 180;

/** Notes that a run of the watcher has ended. @param failing its steps that failed */
export async function noteWatcherRun(db: Database, failing: readonly string[]): Promise<void> {
  await select(db, note, [failing]);
}

const note = `
  INSERT INTO watcher (round_at, failing) VALUES (now(), $1::text[])
  ON CONFLICT (only_row) DO UPDATE SET round_at = EXCLUDED.round_at, failing = EXCLUDED.failing`;

/** A run of the watcher that has ended. */
export interface WatcherRun {
  /** Seconds since it ended, by the database's clock; null if none has ended yet. */
  age_seconds: number | null;
  /** Its steps that failed. */
  failing: string[];
}

/** The run of the watcher that ended last. */
export async function lastWatcherRun(db: Database): Promise<WatcherRun> {
  const [run] = await select<WatcherRun>(db, last);
  return run ?? { age_seconds: null, failing: [] };
}

const last = 'SELECT floor(extract(epoch FROM now() - round_at))::integer AS age_seconds, failing FROM watcher';
