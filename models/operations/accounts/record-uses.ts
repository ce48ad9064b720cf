import { type Database, select } from '../../db/database.js';

/** A use of an API key or a session. */
export interface Use {
  id: string;
  at: Date;
  /** The client address; null if it is unknown. */
  address: string | null;
}

/** Stores when and from where each of these API keys was used last. Rows are locked in the order of their ids, so that two processes cannot deadlock. */
export async function recordKeyUses(db: Database, uses: readonly Use[]): Promise<void> {
  await select(db, keysUsed, [JSON.stringify(uses)]);
}

/** Stores when each of these sessions was used last. */
export async function recordSessionUses(db: Database, uses: readonly Use[]): Promise<void> {
  await select(db, sessionsUsed, [JSON.stringify(uses)]);
}

const used = `json_to_recordset($1::json) AS u ("id" uuid, "at" timestamptz, "address" text)`;

const keysUsed = `
  WITH used AS (SELECT u.* FROM ${used} JOIN api_keys k ON k.id = u.id ORDER BY k.id FOR NO KEY UPDATE OF k)
  UPDATE api_keys k SET last_used_at = u.at, last_used_address = u.address FROM used u WHERE k.id = u.id`;

const sessionsUsed = `
  WITH used AS (SELECT u.* FROM ${used} JOIN sessions s ON s.id = u.id ORDER BY s.id FOR NO KEY UPDATE OF s)
  UPDATE sessions s SET last_used_at = u.at FROM used u WHERE s.id = u.id`;
