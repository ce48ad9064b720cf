import { type Database, select } from '../../db/database.js';

/** A place in the order of the open groups. */
export interface GroupCursor {
  /** As PostgreSQL writes it, because a Date loses microseconds. */
  at: string;
  id: string;
}

/**
 * The next open groups, oldest first. Every message that is undecided, or waits for its hand-off or its report, belongs to one. So all open
 * messages are found without reading the finished ones.
 * @param after the last group of the page before; null: from the start
 */
export function openGroups(db: Database, after: GroupCursor | null, limit: number): Promise<GroupCursor[]> {
  return select<GroupCursor>(db, next, [after?.at ?? '-infinity', after?.id ?? null, limit]);
}

const next = `
  SELECT id, created_at::text AS at FROM message_groups
  WHERE closed_at IS NULL AND created_at >= $1::timestamptz AND ($2::uuid IS NULL OR (created_at, id) > ($1::timestamptz, $2))
  ORDER BY created_at, id LIMIT $3`;
