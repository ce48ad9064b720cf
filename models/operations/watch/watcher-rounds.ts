/** When the watcher last completed a round: its sign of life for health checks. */
import { type Database, select } from '../../db/database.js';

/** Notes that a round of the watcher has ended. @param failing its steps that failed */
export async function noteRound(db: Database, failing: readonly string[]): Promise<void> {
  await select(db, note, [failing]);
}

const note = `
  INSERT INTO watcher (round_at, failing) VALUES (now(), $1::text[])
  ON CONFLICT (only_row) DO UPDATE SET round_at = EXCLUDED.round_at, failing = EXCLUDED.failing`;

/** The last round of the watcher. */
export interface LastRound {
  /** Seconds since it ended, by the database's clock; null when there was none yet. */
  age_seconds: number | null;
  /** Its steps that failed. */
  failing: string[];
}

/** The last round that has ended. */
export async function lastRound(db: Database): Promise<LastRound> {
  const [round] = await select<LastRound>(db, last);
  return round ?? { age_seconds: null, failing: [] };
}

const last = 'SELECT floor(extract(epoch FROM now() - round_at))::integer AS age_seconds, failing FROM watcher';
