/** When the watcher last completed a run: its heartbeat for health checks. */
import { type Database, select } from '../../db/database.js';

/** Notes that a run of the watcher has ended. @param failing its steps that failed */
export async function noteRun(db: Database, failing: readonly string[]): Promise<void> {
  await select(db, note, [failing]);
}

const note = `
  INSERT INTO watcher (round_at, failing) VALUES (now(), $1::text[])
  ON CONFLICT (only_row) DO UPDATE SET round_at = EXCLUDED.round_at, failing = EXCLUDED.failing`;

/** The last run of the watcher. */
export interface LastRun {
  /** Seconds since it ended, by the database's clock; null when there was none yet. */
  age_seconds: number | null;
  /** Its steps that failed. */
  failing: string[];
}

/** The last run that has ended. */
export async function lastRun(db: Database): Promise<LastRun> {
  const [run] = await select<LastRun>(db, last);
  return run ?? { age_seconds: null, failing: [] };
}

const last = 'SELECT floor(extract(epoch FROM now() - round_at))::integer AS age_seconds, failing FROM watcher';
