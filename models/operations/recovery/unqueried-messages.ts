import { type Database, select } from '../../db/database.js';

/** A message of a recovery, as its provider knows it. */
export interface Unqueried {
  id: string;
  provider: string | null;
  provider_message_id: string | null;
  /** It still waits for a report. The others need no query. */
  waits: boolean;
}

/** The next messages of a recovery whose provider was not queried yet, in the order of their ids. Empty: all were queried. */
export function unqueriedMessages(db: Database, recoveryId: string, limit: number): Promise<Unqueried[]> {
  return select<Unqueried>(db, next, [recoveryId, limit]);
}

const next = `
  SELECT r.message_id AS id, m.provider, m.provider_message_id,
    COALESCE(m.status = 'sent' AND m.status_detail = 'awaiting_report', false) AS waits
  FROM recovery_messages r LEFT JOIN messages m ON m.id = r.message_id
  WHERE r.recovery_id = $1 AND r.kind = 'awaiting_report' AND r.asked_at IS NULL ORDER BY r.message_id LIMIT $2`;

/** Notes that the providers of these messages were queried. */
export async function noteQueried(db: Database, recoveryId: string, ids: readonly string[]): Promise<void> {
  const sql = `UPDATE recovery_messages SET asked_at = now() WHERE recovery_id = $1 AND kind = 'awaiting_report' AND message_id = ANY($2::uuid[])`;
  await select(db, sql, [recoveryId, ids]);
}
