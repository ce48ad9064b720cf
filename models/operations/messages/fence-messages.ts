import { type Database, selectIds } from '../../db/database.js';

/**
 * Decides against undecided messages: deletes those that are still `accepting`. PostgreSQL decides once. A fenced message was never charged
 * and never will be, because a late worker finds no row. A message that is not fenced was accepted or refused by its workflow.
 * @returns the ids that were fenced
 */
export function fenceMessages(db: Database, ids: readonly string[]): Promise<string[]> {
  return selectIds(db, fence, [ids]);
}

const fence = `
  WITH fenced AS (
    DELETE FROM messages WHERE id IN (SELECT id FROM messages WHERE id = ANY($1::uuid[]) ORDER BY id FOR UPDATE)
      AND status = 'accepting' RETURNING id, group_id
  ), emptied AS (
    DELETE FROM message_groups g USING fenced f
    WHERE g.id = f.group_id
      AND NOT EXISTS (SELECT 1 FROM messages m WHERE m.group_id = g.id AND m.id NOT IN (SELECT id FROM fenced))
  )
  SELECT id FROM fenced`;
