/** New batches for tests, with their pages. */
import { v7 as uuidv7 } from 'uuid';
import type { Database } from '../../../../models/db/database.js';
import { insertBatch, type NewBatch } from '../../../../models/operations/batches/insert-batch.js';
import type { NewGroup } from '../../../../models/operations/messages/insert-messages.js';
import type { NewMessage } from '../../../../models/tables/message.js';
import { workflowIds } from '../../../../workflows/contract.js';
import { rows } from '../../../support/database.js';
import { newMessage } from '../../../support/rows/factories.js';
import { acceptBatch } from '../../../support/rows/batches.js';

/** Five messages by SMS, not stored. */
export const newBatch = (workspaceId: string, changes: Partial<NewBatch> = {}): NewBatch => ({
  id: uuidv7(),
  workspace_id: workspaceId,
  channel: 'sms',
  total: 5,
  accepted: 5,
  invalid: 0,
  errors: [],
  cost: 5000,
  rate: null,
  idempotency_key: null,
  request_digest: null,
  scheduled_at: null,
  created_at: new Date(),
  ...changes,
});

/** The pages of a new batch. */
export async function* pagesOf(
  { id, workspace_id, accepted }: NewBatch,
  size = 2,
  changes: Partial<NewMessage> = {},
): AsyncGenerator<NewGroup> {
  for (let from = 0; from < accepted; from += size) {
    const groupId = uuidv7();
    const messages = Array.from({ length: Math.min(size, accepted - from) }, (_, index) =>
      newMessage({ id: uuidv7(), workspace_id, group_id: groupId, batch_id: id, to: `+1555${1_000_000 + from + index}`, ...changes }),
    );
    yield { groupId, workflowId: workflowIds.page(groupId), messages };
  }
}

/** A charged batch of one page with two messages, stored. Its page is not open yet. */
export async function buildPage(db: Database, workspaceId: string): Promise<{ batchId: string; groupId: string; ids: string[] }> {
  const batch = newBatch(workspaceId, { total: 2, accepted: 2, cost: 2000 });
  await insertBatch(db, batch, pagesOf(batch));
  await acceptBatch(db, batch.id);
  const messages = await rows<{ id: string; group_id: string }>(db, 'SELECT id, group_id FROM messages WHERE batch_id = $1 ORDER BY id', [
    batch.id,
  ]);
  return { batchId: batch.id, groupId: messages[0]?.group_id ?? '', ids: messages.map(({ id }) => id) };
}

/** How many batches, pages and messages are stored. */
export const counted = async (db: Database): Promise<number[]> => {
  const sql = `SELECT (SELECT count(*) FROM batches) AS batches, (SELECT count(*) FROM message_groups) AS pages, (SELECT count(*) FROM messages) AS messages`;
  const [row] = await rows<{ batches: number; pages: number; messages: number }>(db, sql);
  return Object.values(row ?? {});
};
