import { type Database, select } from '../../db/database.js';

/** The place of a walk over the open groups. */
export interface GroupCursor {
  /** As PostgreSQL writes it, because a Date loses microseconds. */
  at: string;
  id: string;
}

/**
 * The next open groups, oldest first. Every message that is undecided, waits for its hand-off or waits for its report belongs to one. So a
 * walk over them finds all open messages without reading the finished ones.
 * @param after the last group of the page before; null: from the start
 */
export function openGroups(db: Database, after: GroupCursor | null, limit: number): Promise<GroupCursor[]> {
  return select<GroupCursor>(db, next, [after?.at ?? '-infinity', after?.id ?? null, limit]);
}

const next = `
  SELECT id, created_at::text AS at FROM message_groups
  WHERE closed_at IS NULL AND created_at >= $1::timestamptz AND ($2::uuid IS NULL OR (created_at, id) > ($1::timestamptz, $2))
  ORDER BY created_at, id LIMIT $3`;
