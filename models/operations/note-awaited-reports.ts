import { type Database, inTransaction, select, type Transaction } from '../database.js';
import type { Recovery } from './begin-recovery.js';
import { type GroupCursor, openGroups } from './open-groups.js';

export interface AwaitedReports {
  /** Messages that wait for a report. */
  ids: string[];
  /** Where the next page begins; null after the last one. */
  next: GroupCursor | null;
}

/**
 * The messages of the next open groups that were handed off before the restore and still wait for a report, which may have come in the lost
 * time: no provider repeats it.
 * @param limit groups a page
 */
export async function awaitedReports(
  db: Database,
  { began_at }: Pick<Recovery, 'began_at'>,
  after: GroupCursor | null,
  limit: number,
  transaction?: Transaction,
): Promise<AwaitedReports> {
  const groups = await openGroups(db, after, limit, transaction);
  const rows = await select<{ id: string }>(db, awaiting, [groups.map(({ id }) => id), began_at], transaction);
  return { ids: rows.map(({ id }) => id), next: groups.length < limit ? null : (groups.at(-1) ?? null) };
}

const awaiting = `
  SELECT id FROM messages
  WHERE group_id = ANY($1::uuid[]) AND status = 'sent' AND status_detail = 'awaiting_report' AND provider_message_id IS NOT NULL
    AND created_at <= $2 ORDER BY id`;

/** The same page, noted with the recovery: each of these messages is asked for once. */
export function noteAwaitedReports(
  db: Database,
  recovery: Pick<Recovery, 'id' | 'began_at'>,
  after: GroupCursor | null,
  limit: number,
): Promise<AwaitedReports> {
  return inTransaction(db, async (transaction) => {
    const page = await awaitedReports(db, recovery, after, limit, transaction);
    await select(db, note, [recovery.id, page.ids], transaction);
    return page;
  });
}

const note = `
  INSERT INTO recovery_messages (recovery_id, kind, message_id) SELECT $1, 'awaiting_report', id FROM unnest($2::uuid[]) AS id
  ON CONFLICT DO NOTHING`;
