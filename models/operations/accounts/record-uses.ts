import { type Database, select } from '../../db/database.js';
import { column, nullable, recordset } from '../../tables/columns.js';

/** A use of an API key or a session. */
export interface Use {
  id: string;
  at: Date;
  /** The client address; null if it is unknown. */
  address: string | null;
}

/** Stores when and from where each of these API keys was used last. */
export async function recordKeyUses(db: Database, uses: readonly Use[]): Promise<void> {
  await select(db, keysUsed, [JSON.stringify(uses)]);
}

/** Stores when each of these sessions was used last. */
export async function recordSessionUses(db: Database, uses: readonly Use[]): Promise<void> {
  await select(db, sessionsUsed, [JSON.stringify(uses)]);
}

const useColumns = { id: column.uuid(), at: column.timestamp(), address: nullable(column.text()) };

/** SQL: changes the rows that were used. It locks them in the order of their ids, so that two processes cannot deadlock. */
const changeUsed = (table: string, values: string) => `
  WITH used AS (
    SELECT u.* FROM ${recordset('$1', 'u', useColumns)} JOIN ${table} t ON t.id = u.id ORDER BY t.id FOR NO KEY UPDATE OF t
  )
  UPDATE ${table} t SET ${values} FROM used u WHERE t.id = u.id`;

const keysUsed = changeUsed('api_keys', 'last_used_at = u.at, last_used_address = u.address');
const sessionsUsed = changeUsed('sessions', 'last_used_at = u.at');
