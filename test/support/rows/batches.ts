/** Creates batches in a given state. */
import { v7 as uuidv7 } from 'uuid';
import type { Database } from '../../../models/db/database.js';
import type { NewMessage } from '../../../models/tables/message.js';
import { acceptBatch as accept, type BatchAcceptance } from '../../../models/operations/batches/accept-batch.js';
import { insertBatch, type NewBatch } from '../../../models/operations/batches/insert-batch.js';
import { priceOf } from '../../../models/rules/billing/credits.js';
import type { NewGroup } from '../../../models/operations/messages/insert-messages.js';
import { workflowIds } from '../../../workflows/contract.js';
import { testConfig } from '../config.js';
import { rows } from '../database.js';
import { newMessage } from './factories.js';

const { openBatches } = testConfig().quotas;

/** Charges a batch, unless the workspace has as many open ones as a workspace may in tests. */
export const acceptBatch = (db: Database, id: string): Promise<BatchAcceptance> => accept(db, id, openBatches);

/** The digest of the request of an old batch. */
export const oldBatchDigest = Buffer.alloc(32, 2);

export interface BuiltBatch {
  id: string;
  pages: { groupId: string; ids: string[] }[];
}

/** A batch, of SMS unless another channel is given, not accepted yet, with pages of these sizes. They are stored when `held` resolves. */
export async function buildBatch(
  db: Database,
  workspaceId: string,
  sizes: readonly number[],
  {
    rate = null,
    scheduled_at = null,
    held = Promise.resolve(),
    channel = 'sms',
    ...message
  }: Partial<Pick<NewBatch, 'rate'>> & Partial<NewMessage> & { held?: Promise<void> } = {},
): Promise<BuiltBatch> {
  const accepted = sizes.reduce((sum, size) => sum + size, 0);
  const batch: NewBatch = {
    id: uuidv7(),
    workspace_id: workspaceId,
    channel,
    total: accepted,
    accepted,
    invalid: 0,
    errors: [],
    cost: accepted * priceOf(channel, 'Hello'),
    rate,
    idempotency_key: null,
    request_digest: null,
    scheduled_at,
    created_at: new Date(),
  };
  const groups = sizes.map((size): NewGroup => {
    const groupId = uuidv7();
    const messages = Array.from({ length: size }, () =>
      newMessage({ id: uuidv7(), workspace_id: workspaceId, group_id: groupId, batch_id: batch.id, scheduled_at, channel, ...message }),
    );
    return { groupId, workflowId: workflowIds.page(groupId), messages };
  });
  await insertBatch(db, batch, asyncOf(groups, held));
  return { id: batch.id, pages: groups.map(({ groupId, messages }) => ({ groupId, ids: messages.map(({ id }) => id) })) };
}

/** The same, accepted and charged. */
export async function buildAcceptedBatch(...args: Parameters<typeof buildBatch>): Promise<BuiltBatch> {
  const batch = await buildBatch(...args);
  await acceptBatch(args[0], batch.id);
  return batch;
}

/** A batch whose id is of this time, with a key and a digest, and without messages. @returns its id */
export async function buildOldBatch(db: Database, workspaceId: string, createdAt: Date): Promise<string> {
  const id = uuidv7({ msecs: createdAt.getTime() });
  const { id: made } = await buildBatch(db, workspaceId, [1]);
  await rows(db, 'DELETE FROM messages WHERE batch_id = $1', [made]);
  await rows(db, 'DELETE FROM message_groups WHERE batch_id = $1', [made]);
  const changes = "id = $2, status = 'sending', idempotency_key = $3, request_digest = $4";
  await rows(db, `UPDATE batches SET ${changes} WHERE id = $1`, [made, id, id, oldBatchDigest]);
  return id;
}

async function* asyncOf<Item>(items: Item[], held: Promise<void>): AsyncGenerator<Item> {
  await held;
  yield* items;
}
