/** Fallback chains as other modules see them: the next step of a message, overdue steps, and the place of a message in its chain. */
import { type Database, select } from '../../db/database.js';
import type { Fallback } from '../../tables/fallback.js';
import type { MessageRow } from '../../tables/message.js';
import type { FallbackStep } from '../../rules/messages/fallback.js';
import { lowestId } from '../../rules/values/id-time.js';

/** How long a message of a chain has to be delivered, in milliseconds; undefined: no step follows it. */
export async function fallbackAfterMs(db: Database, messageId: string): Promise<number | undefined> {
  const sql = `SELECT (steps -> 0 ->> 'after')::integer * 1000 AS ms FROM fallbacks WHERE message_id = $1`;
  return (await select<{ ms: number }>(db, sql, [messageId]))[0]?.ms;
}

/** A step that is overdue. */
export interface OverdueFallback {
  groupId: string;
  messageId: string;
  /** As text, because a Date loses microseconds. */
  dueAt: string;
}

/** Groups whose next step is overdue because the workflow is gone, oldest first. @param after the last of the page before */
export function overdueFallbacks(
  db: Database,
  olderThanSeconds: number,
  after?: Pick<OverdueFallback, 'dueAt' | 'messageId'>,
): Promise<OverdueFallback[]> {
  const { dueAt = '-infinity', messageId = lowestId } = after ?? {};
  return select(db, overdue, [olderThanSeconds, dueAt, messageId]);
}

const overdue = `
  SELECT m.group_id AS "groupId", m.id AS "messageId", f.due_at::text AS "dueAt" FROM fallbacks f JOIN messages m ON m.id = f.message_id
  WHERE f.outcome IS NULL AND f.due_at < now() - $1 * interval '1 second' AND f.due_at >= $2::timestamptz
    AND (f.due_at, f.message_id) > ($2::timestamptz, $3::uuid) AND m.status <> 'accepting'
  ORDER BY f.due_at, f.message_id LIMIT 200`;

/** A message's place in its chain. */
export interface ChainView extends Pick<Fallback, 'outcome' | 'next_id' | 'decided_at'> {
  /** Null if no step follows it. */
  due_at: Date | null;
  /** The id of the message before it. */
  fallback_of: string | null;
  steps: (Pick<FallbackStep, 'channel' | 'after'> & { to?: string })[] | null;
}

/** Reads nothing for a message that shares a workflow, because messages of a chain never do. @returns null if it belongs to no chain */
export async function chainOf(db: Database, { id, group_id }: Pick<MessageRow, 'id' | 'group_id'>): Promise<ChainView | null> {
  if (group_id !== id) return null;
  const [view] = await select<ChainView>(db, viewOf, [id]);
  return view === undefined || (view.fallback_of === null && view.steps === null) ? null : view;
}

const viewOf = `
  SELECT (SELECT b.message_id FROM fallbacks b WHERE b.next_id = m.id) AS fallback_of, f.steps, f.due_at, f.outcome, f.next_id, f.decided_at
  FROM messages m LEFT JOIN fallbacks f ON f.message_id = m.id WHERE m.id = $1`;
