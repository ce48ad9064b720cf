/** Locks of the database: a table that somebody holds, and statements that wait for a lock. */
import type { Database } from '../../models/db/database.js';
import { until } from './client.js';
import { rows } from './database.js';

/**
 * Holds a table against all others for this time, as a careless migration does.
 * @param work begins when the table is held
 */
export async function whileLocked(db: Database, table: string, seconds: number, work: () => Promise<unknown>): Promise<void> {
  const held = rows(db, `DO $$ BEGIN LOCK TABLE ${table} IN ACCESS EXCLUSIVE MODE; PERFORM pg_sleep(${seconds}); END $$`);
  const locked = `
    SELECT 1 FROM pg_locks l JOIN pg_database d ON d.oid = l.database
    WHERE d.datname = current_database() AND relation = $1::regclass AND mode = 'AccessExclusiveLock' AND granted`;
  await Promise.race([held, until(async () => (await rows(db, locked, [table])).length > 0, 'the lock is held')]);
  await Promise.all([held, work()]);
}

/** The number of statements that wait for a lock. */
export async function lockWaits(db: Database): Promise<number> {
  const sql = `SELECT 1 AS one FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`;
  return (await rows(db, sql)).length;
}

/** Waits until so many statements wait for a lock. @param what they are, for the error */
export const untilLockWait = (db: Database, what: string, count = 1) => until(async () => (await lockWaits(db)) >= count, what);
