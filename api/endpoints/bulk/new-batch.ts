/** Builds the rows of a batch from the body of a bulk send. */
import { makeId } from '../../../models/rules/values/make-id.js';
import { clientFieldsOf, type NewMessage } from '../../../models/tables/message.js';
import type { NewBatch } from '../../../models/operations/batches/insert-batch.js';
import type { NewGroup } from '../../../models/operations/messages/insert-messages.js';
import { pagesOfBulk } from '../../../models/rules/bulk/bulk.js';
import { isAhead } from '../../../models/rules/messages/schedule.js';
import { workflowIds } from '../../../workflows/contract.js';
import type { Caller } from '../../http/caller.js';
import type { RequestHead } from '../messages/new-message.js';
import type { BulkBody } from './bulk-schemas.js';

/** The row of a new batch, not accepted yet. */
export function newBatch(
  { workspaceId }: Pick<Caller, 'workspaceId'>,
  body: BulkBody,
  { newId: id, idempotencyKey, digest }: Omit<RequestHead, 'traceparent'>,
): NewBatch {
  const { total, accepted, invalid, errors, cost } = body.plan;
  return {
    id,
    workspace_id: workspaceId,
    channel: body.channel,
    total,
    accepted: accepted.length,
    invalid,
    errors,
    cost,
    rate: body.rate ?? null,
    idempotency_key: idempotencyKey,
    request_digest: digest,
    scheduled_at: body.scheduled_at ?? null,
    created_at: new Date(),
  };
}

/** The pages of a batch. Each page is rendered when the consumer reads it. */
export async function* pagesOf(batch: NewBatch, body: BulkBody): AsyncGenerator<NewGroup, void, undefined> {
  const { id: batchId, workspace_id, channel, scheduled_at, created_at } = batch;
  const common = {
    ...clientFieldsOf(body), // a recipient may have its own
    workspace_id,
    batch_id: batchId,
    channel,
    idempotency_key: null,
    request_digest: null,
    status: 'accepting',
    status_detail: isAhead(batch) ? 'scheduled' : 'accepted',
    scheduled_at,
    expires_at: body.expires_at ?? null,
    created_at,
    traceparent: null, // a page has its trace, and each message its own
  } as const satisfies Partial<NewMessage>;
  for await (const messages of pagesOfBulk(body, body.plan)) {
    const groupId = makeId();
    const rows = messages.map((message) => ({ ...common, ...message, id: makeId(), group_id: groupId }));
    yield { groupId, workflowId: workflowIds.page(groupId), messages: rows };
  }
}
