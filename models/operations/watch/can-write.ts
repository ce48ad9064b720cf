import { type Database, select } from '../../db/database.js';

/** Whether the database takes writes: a standby, and a provider that protects a full disk, answer every read. */
export async function canWrite(db: Database): Promise<boolean> {
  return (await select<{ can_write: boolean }>(db, sql, ['off']))[0]?.can_write === true;
}

// A pooler in transaction mode executes every statement that is not prepared. The parameter makes this one prepared, as those of the service are.
const sql = `SELECT current_setting('transaction_read_only') = $1 AS can_write`;
