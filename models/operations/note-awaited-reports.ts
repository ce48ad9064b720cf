import { type Database, inTransaction, select, type Transaction } from '../database.js';
import type { Recovery } from './begin-recovery.js';

/** Where a walk over the open groups stands. */
export interface GroupCursor {
  /** As PostgreSQL writes it: a Date would lose microseconds. */
  at: string;
  id: string;
}

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
  const groups = await select<GroupCursor>(db, openGroups, [after?.at ?? '-infinity', after?.id ?? null, limit], transaction);
  const rows = await select<{ id: string }>(db, awaiting, [groups.map(({ id }) => id), began_at], transaction);
  return { ids: rows.map(({ id }) => id), next: groups.length < limit ? null : (groups.at(-1) ?? null) };
}

const openGroups = `
  SELECT id, created_at::text AS at FROM message_groups
  WHERE closed_at IS NULL AND created_at >= $1::timestamptz AND ($2::uuid IS NULL OR (created_at, id) > ($1::timestamptz, $2))
  ORDER BY created_at, id LIMIT $3`;

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
