import { v7 as uuidv7 } from 'uuid';
import { type Database, select } from '../../db/database.js';

/** A recovery of a database that was restored to an earlier moment. */
export interface Recovery {
  id: string;
  /** The moment to which the database was restored. */
  as_of: Date;
  /** By then the last worker had stopped. */
  stopped_at: Date;
  /** What was created later was not restored. */
  began_at: Date;
  /** When everything had been looked at; null: it was interrupted, or is under way. */
  marked_at: Date | null;
}

const columns = 'id, as_of, stopped_at, began_at, marked_at';

/**
 * Begins the recovery to a moment, or continues the one that was begun: a second call returns the first one's times.
 * @param stoppedAt by then the last worker had stopped; null: now
 */
export async function beginRecovery(db: Database, asOf: Date, stoppedAt: Date | null): Promise<Recovery> {
  await select(db, insert, [uuidv7(), asOf, stoppedAt]);
  return (await findRecovery(db, asOf)) as Recovery;
}

const insert = `
  INSERT INTO recoveries (id, as_of, stopped_at) VALUES ($1, $2, COALESCE($3::timestamptz, now())) ON CONFLICT (as_of) DO NOTHING`;

/** The recovery to this moment, or the newest one. @returns undefined when there is none */
export async function findRecovery(db: Database, asOf: Date | null): Promise<Recovery | undefined> {
  const sql = `SELECT ${columns} FROM recoveries WHERE $1::timestamptz IS NULL OR as_of = $1 ORDER BY began_at DESC LIMIT 1`;
  return (await select<Recovery>(db, sql, [asOf]))[0];
}

/** Notes that everything was looked at. */
export async function finishRecovery(db: Database, id: string): Promise<void> {
  await select(db, 'UPDATE recoveries SET marked_at = now() WHERE id = $1', [id]);
}

/** When the newest message was created, by the clock of the process that created it; null without messages. */
export async function newestMessageAt(db: Database): Promise<Date | null> {
  const [newest] = await select<{ created_at: Date }>(db, 'SELECT created_at FROM messages ORDER BY id DESC LIMIT 1');
  return newest?.created_at ?? null;
}
