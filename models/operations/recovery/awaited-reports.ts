import { type Database, inTransaction, select, selectIds, type Transaction } from '../../db/database.js';
import type { Recovery } from './begin-recovery.js';

/**
 * The messages of these open groups that were handed off before the restore and still wait for a report. Their reports may have come in the
 * lost time, and providers do not repeat them.
 */
export function restoredAwaiting(
  db: Database,
  { began_at }: Pick<Recovery, 'began_at'>,
  groupIds: readonly string[],
  transaction?: Transaction,
): Promise<string[]> {
  return selectIds(db, awaiting, [groupIds, began_at], transaction);
}

const awaiting = `
  SELECT id FROM messages
  WHERE group_id = ANY($1::uuid[]) AND status = 'sent' AND status_detail = 'awaiting_report' AND provider_message_id IS NOT NULL
    AND created_at <= $2 ORDER BY id`;

/** Stores these messages with the recovery, so that the provider is queried once for each of them. */
export function noteRestoredAwaiting(
  db: Database,
  recovery: Pick<Recovery, 'id' | 'began_at'>,
  groupIds: readonly string[],
): Promise<string[]> {
  return inTransaction(db, async (transaction) => {
    const ids = await restoredAwaiting(db, recovery, groupIds, transaction);
    await select(db, note, [recovery.id, ids], transaction);
    return ids;
  });
}

const note = `
  INSERT INTO recovery_messages (recovery_id, kind, message_id) SELECT $1, 'awaiting_report', id FROM unnest($2::uuid[]) AS id
  ON CONFLICT DO NOTHING`;
