/** Bulk sends of up to ten thousand messages, and the batches that they create. */
import type { Batch } from '../../../models/tables/batch.js';
import { viewBatch, viewBatches } from '../../../models/operations/batches/view-batch.js';
import { waitingPages } from '../../../models/operations/batches/batch-pages.js';
import { cancelBatch, findBatch, pauseBatch, resumeBatch } from '../../../models/operations/batches/change-batch.js';
import type { Database } from '../../../models/db/database.js';
import { type AppError, invalid } from '../../../models/errors.js';
import { faultsOfPlan } from '../../../models/rules/bulk/bulk.js';
import { mapRows } from '../../../models/rules/values/list-window.js';
import { acceptNewBatch, findAcceptedBatch } from '../../accept/accept-batch.js';
import type { BulkDeps, Deps } from '../../deps.js';
import { bulkEndpoint, endpoint, list } from '../../declare.js';
import { apiKey } from '../../http/endpoint.js';
import { idempotentReply } from '../../http/reply.js';
import type { Caller } from '../../http/caller.js';
import { digestList } from '../../http/idempotency.js';
import { presentAcceptedBatch, presentBatch, presentBatchInList } from '../../present/presenters.js';
import { dataOf } from '../../http/schemas/schemas.js';
import { assertChannels } from '../../auth/sending-rules.js';
import { scopeForContacts, withContacts, withinCountries } from './bulk-contacts.js';
import { batchInList, batchResponse, type BulkBody, bulkBody, examineBulk, withoutContent } from './bulk-schemas.js';
import { newBatch, pagesOf } from './new-batch.js';
import { assertNotExpired, type RequestHead } from '../messages/new-message.js';
import { assertTemplateSupported } from '../messages/template-support.js';

/** The maximum body size of bulk sends and previews. */
export const bulkBytesMax = 4 * 1024 * 1024;

const oneBatch = dataOf('batch', batchResponse);

export const sendBulkEndpoint = bulkEndpoint({
  id: 'sendBulk',
  tag: 'messages',
  method: 'post',
  path: '/api/v1/messages/bulk',
  summary: 'Send one text to many recipients, with variables per recipient',
  auth: apiKey('send_messages'),
  sends: true,
  rate: 'bulk',
  body: bulkBody,
  bodyBytesMax: bulkBytesMax,
  extraScope: scopeForContacts,
  examine: examineBulk,
  idempotent: true,
  response: oneBatch,
  status: 201,
  async handler({ caller, body: given, refusal, idempotencyKey: key, newId, traceparent }, deps) {
    assertChannels(caller, [given.channel]);
    const { recipients, plan: _plan, ...rest } = given;
    const digest = key === null ? null : await digestList(rest, recipients);
    // The former version dropped `expires_at`, so its digest lacks the field, and its batches may be repeated after an upgrade. Remove this
    // digest one version later.
    const former = key === null || given.expires_at === undefined ? null : await digestList({ ...rest, expires_at: undefined }, recipients);
    const digests = [digest, former];
    const earlier = await findAcceptedBatch(deps, caller, key, digests);
    const { row, isReplay } =
      earlier ?? (await accept(deps, caller, { given, refusal, digests }, { newId, traceparent, idempotencyKey: key, digest }));
    return idempotentReply({ batch: presentAcceptedBatch(row) }, isReplay);
  },
});

async function accept(
  deps: BulkDeps,
  caller: Caller,
  { given, refusal, digests }: { given: BulkBody; refusal: AppError | null; digests: readonly (Buffer | null)[] },
  head: RequestHead,
) {
  assertTemplateSupported(deps.config, given);
  assertNotExpired(given, new Date());
  const checkable = refusal === null ? given : withoutContent(given);
  // Contacts are read after the idempotency look-up: a repeated request gets its first response even if its contacts have changed.
  const body = await withinCountries(await withContacts(deps.db, caller.workspaceId, checkable), caller.allowedCountries);
  const faults = faultsOfPlan(body, body.plan);
  if (faults.length > 0) throw invalid(faults);
  if (refusal !== null) throw refusal;
  const batch = newBatch(caller, body, head);
  return acceptNewBatch(deps, caller, { batch, digests, traceparent: head.traceparent, pagesOf: (stored) => pagesOf(stored, body) });
}

export const listBatchesEndpoint = list({
  id: 'listBatches',
  tag: 'messages',
  path: '/api/v1/messages/bulk',
  summary: 'List batches, newest first; `errors` is omitted',
  auth: apiKey('read_messages'),
  name: 'batches',
  row: batchInList,
  find: async ({ caller, window }, { db }) => mapRows(await viewBatches(db, caller.workspaceId, window), presentBatchInList),
});

export const getBatchEndpoint = endpoint({
  id: 'getBatch',
  tag: 'messages',
  method: 'get',
  path: '/api/v1/messages/bulk/:id',
  summary: 'Get a batch and its progress',
  auth: apiKey('read_messages'),
  response: oneBatch,
  async handler({ caller, params }, { db }) {
    return { batch: presentBatch(await viewBatch(db, caller.workspaceId, params.id)) };
  },
});

export const pauseBatchEndpoint = endpoint({
  id: 'pauseBatch',
  tag: 'messages',
  method: 'post',
  path: '/api/v1/messages/bulk/:id/pause',
  summary: 'Pause a batch. Calls already in progress complete',
  auth: apiKey('send_messages'),
  response: oneBatch,
  handler: ({ caller, params }, deps) => applyChange(deps, caller.workspaceId, params.id, pauseBatch),
});

export const resumeBatchEndpoint = endpoint({
  id: 'resumeBatch',
  tag: 'messages',
  method: 'post',
  path: '/api/v1/messages/bulk/:id/resume',
  summary: 'Resume a paused batch',
  auth: apiKey('send_messages'),
  sends: true,
  response: oneBatch,
  async handler({ caller, params }, deps) {
    assertChannels(caller, [(await findBatch(caller.workspaceId, params.id)).channel]);
    return applyChange(deps, caller.workspaceId, params.id, resumeBatch);
  },
});

export const cancelBatchEndpoint = endpoint({
  id: 'cancelBatch',
  tag: 'messages',
  method: 'post',
  path: '/api/v1/messages/bulk/:id/cancel',
  summary: 'Cancel a batch; messages not yet handed to the carrier are refunded',
  auth: apiKey('send_messages'),
  response: oneBatch,
  handler: ({ caller, params }, deps) => applyChange(deps, caller.workspaceId, params.id, cancelBatch),
});

type Change = (db: Database, workspaceId: string, id: string) => Promise<Batch>;

/** Stores the change, and signals the workflows of the batch. If a signal fails, the workflow reads the change from the database later. */
async function applyChange({ db, temporal, logger }: Deps, workspaceId: string, id: string, change: Change): Promise<object> {
  const batch = await change(db, workspaceId, id);
  // A pause needs no signal: workflows read the status before each round of hand-offs.
  if (batch.status !== 'paused') {
    await temporal
      .notifyPages(await waitingPages(db, id))
      .catch((err: unknown) =>
        logger.warn({ err, batch_id: id }, 'a workflow of the batch was not signalled; it will read the change from the database'),
      );
  }
  return { batch: presentBatch(await viewBatch(db, workspaceId, id)) };
}
