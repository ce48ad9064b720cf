import { makeId } from '../../rules/values/make-id.js';
import { type Database, select } from '../../db/database.js';

/** The recovery of a database that was restored to an earlier moment. */
export interface Recovery {
  id: string;
  /** The moment to which the database was restored. */
  as_of: Date;
  /** The last worker had stopped by then. A repeated command can only make it later. */
  stopped_at: Date;
  /** What was created later is not from the restored database. */
  began_at: Date;
  /** When all restored work had been examined; null: the recovery was interrupted, or is in progress. */
  marked_at: Date | null;
}

const columns = 'id, as_of, stopped_at, began_at, marked_at';

/**
 * Begins the recovery to a moment, or continues one: a second call returns the times of the first. A later stop corrects the first one: the
 * messages that were due until then are examined again.
 * @param stoppedAt the last worker had stopped by then; null: now, or as the first call said
 * @throws Error if the stop is earlier than that of the first call, because messages were marked by it
 */
export async function beginRecovery(db: Database, asOf: Date, stoppedAt: Date | null): Promise<Recovery> {
  const begun = await findRecovery(db, asOf);
  if (begun !== undefined) correctedStop(begun, stoppedAt);
  await select(db, insert, [makeId(), asOf, stoppedAt]);
  return (await findRecovery(db, asOf)) as Recovery;
}

const insert = `
  INSERT INTO recoveries (id, as_of, stopped_at) VALUES ($1, $2, COALESCE($3::timestamptz, now()))
  ON CONFLICT (as_of) DO UPDATE SET stopped_at = EXCLUDED.stopped_at, marked_at = NULL
  WHERE $3::timestamptz IS NOT NULL AND EXCLUDED.stopped_at > recoveries.stopped_at`;

/** The stop of a recovery that has begun, after a repeated command with this one. @throws Error like `beginRecovery` */
export function correctedStop({ as_of, stopped_at }: Recovery, stoppedAt: Date | null): Date {
  if (stoppedAt === null || stoppedAt.getTime() === stopped_at.getTime()) return stopped_at;
  if (stoppedAt > stopped_at) return stoppedAt;
  const [first, moment] = [stopped_at.toISOString(), as_of.toISOString()];
  throw new Error(
    `--stopped-at cannot be before ${first}: the recovery to ${moment} has begun with this time, and what was due until then is uncertain. ` +
      'Repeat the command with this time, with a later one, or without the option.',
  );
}

/** Whether the schema has the table of recoveries: if not, it is outdated. */
export async function hasRecoveries(db: Database): Promise<boolean> {
  return (await select<{ is_known: boolean }>(db, `SELECT to_regclass('recoveries') IS NOT NULL AS is_known`))[0]?.is_known === true;
}

/** The recovery to this moment, or the newest one. @returns undefined if there is none */
export async function findRecovery(db: Database, asOf: Date | null): Promise<Recovery | undefined> {
  const sql = `SELECT ${columns} FROM recoveries WHERE $1::timestamptz IS NULL OR as_of = $1 ORDER BY began_at DESC LIMIT 1`;
  return (await select<Recovery>(db, sql, [asOf]))[0];
}

/** Notes that all restored work was examined. */
export async function finishRecovery(db: Database, id: string): Promise<void> {
  await select(db, 'UPDATE recoveries SET marked_at = now() WHERE id = $1', [id]);
}

/** When the newest message was created, by the clock of the process that created it; null if there are no messages. */
export async function newestMessageAt(db: Database): Promise<Date | null> {
  const [newest] = await select<{ created_at: Date }>(db, 'SELECT created_at FROM messages ORDER BY id DESC LIMIT 1');
  return newest?.created_at ?? null;
}
