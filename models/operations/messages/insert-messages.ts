import { type Database, select, selectOne, type Transaction } from '../../db/database.js';
import { givenIn, hexOf, namesOf, recordset } from '../../tables/columns.js';
import { messageColumns, type MessageRow, type NewMessage } from '../../tables/message.js';
import type { FallbackStep } from '../../rules/messages/fallback.js';

export interface NewGroup {
  groupId: string;
  /** The id of the workflow that will drive the group. */
  workflowId: string;
  messages: NewMessage[];
  /** For a page of a batch: the batch, and the number of the page from 0. */
  page?: { batchId: string; number: number };
  /** The steps that follow if its only message is not delivered. */
  fallback?: readonly FallbackStep[];
}

/**
 * Stores a group and its messages, undecided (`accepting`): nothing is charged yet, and the API does not show them.
 * @returns the stored rows. Messages whose idempotency key is taken are left out, and a group without messages is not stored
 */
export function insertMessages(db: Database, group: NewGroup, transaction?: Transaction): Promise<MessageRow[]> {
  const { fallback = [] } = group;
  if (fallback.length === 0) return select<MessageRow>(db, insert('*'), parametersOf(group), transaction);
  return select<MessageRow>(db, insert('*', { chained: withFallback }), [...parametersOf(group), JSON.stringify(fallback)], transaction);
}

/** Stores a page of a batch and its messages, undecided, within the batch's transaction. @returns how many messages were stored */
export async function insertPage(db: Database, transaction: Transaction, group: NewGroup): Promise<number> {
  return (await selectOne<{ count: number }>(db, insert('count(*) AS count', { returned: 'id' }), parametersOf(group), transaction)).count;
}

function parametersOf({ groupId, workflowId, messages, page }: NewGroup): unknown[] {
  const rows = messages.map((message) => ({
    ...message,
    group_id: groupId,
    status: 'accepting',
    request_digest: hexOf(message.request_digest),
  }));
  return [groupId, workflowId, JSON.stringify(rows), page?.batchId ?? null, page?.number ?? null];
}

// Not by `created_at`, which has the clock of another process: the watcher would send the step before its time.
const withFallback = `, chained AS (
    INSERT INTO fallbacks (message_id, steps, due_at)
    SELECT id, $6::json, GREATEST(stored.scheduled_at, now()) + ($6::json -> 0 ->> 'after')::integer * interval '1 second' FROM stored
  )`;

const newColumns = givenIn(messageColumns);

/** @param returned the columns to keep of a stored row: texts that nobody reads would be copied to a temporary file */
const insert = (shown: string, { chained = '', returned = '*' } = {}) => `
  WITH stored AS (
    INSERT INTO messages (${namesOf(newColumns)})
    SELECT ${namesOf(newColumns)} FROM ${recordset('$3', 'row', newColumns)}
    -- One order: otherwise two groups with the same keys could each wait for a key that the other has inserted.
    ORDER BY workspace_id, idempotency_key
    ON CONFLICT (workspace_id, idempotency_key) WHERE idempotency_key IS NOT NULL DO NOTHING
    RETURNING ${returned}
  ), grouped AS (
    INSERT INTO message_groups (id, workflow_id, batch_id, page)
    SELECT $1::uuid, $2, $4::uuid, $5::integer WHERE EXISTS (SELECT 1 FROM stored)
  )${chained}
  SELECT ${shown} FROM stored`;
