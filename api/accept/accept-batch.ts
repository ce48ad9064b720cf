/** Accepts a batch in the same way as `accept.ts` accepts a message: it is stored as `accepting`, and its workflow debits the credits and accepts it. */
import { Batch, type BatchRow } from '../../models/tables/batch.js';
import { idempotencyMismatch, internal } from '../../models/errors.js';
import { fenceBatch } from '../../models/operations/batches/fence-batch.js';
import { insertBatch, type NewBatch } from '../../models/operations/batches/insert-batch.js';
import { assertBelow, type Quota } from '../../models/operations/billing/within-quota.js';
import type { NewGroup } from '../../models/operations/messages/insert-messages.js';
import { fundsOf } from '../../models/operations/billing/standing.js';
import { createConcurrencyLimit } from '../../models/flow/concurrency-limit.js';
import { workflowIds } from '../../workflows/contract.js';
import { keysOf } from '../http/idempotency.js';
import type { BulkDeps } from '../deps.js';
import type { Caller } from '../http/caller.js';
import { assertCanPay, costError } from '../auth/sending-rules.js';
import { retryForever } from './retry-forever.js';

export interface AcceptedBatch {
  row: BatchRow;
  /** The request repeats an earlier one; `row` is the batch of the earlier request. */
  isReplay: boolean;
}

/** How often an insert is tried. A retry is needed when a request with the same idempotency key was refused between look-up and insert. */
const insertAttemptsMax = 3;
/** An insert holds a database connection while it writes up to ten thousand rows. The limit leaves connections for other requests. */
const limitInserts = createConcurrencyLimit({ max: 2 });

/**
 * Finds the batch of an earlier request with this idempotency key, and waits until it is accepted or refused; null when there is none.
 * @throws AppError 422 when the earlier request had a different body, or its data were erased
 */
export async function findAcceptedBatch(
  deps: BulkDeps,
  { workspaceId }: Caller,
  key: string | null,
  digest: Buffer | null,
): Promise<AcceptedBatch | null> {
  if (key === null || digest === null) return null;
  const keys = await keysOf(deps, key);
  const found = await Batch.findOne({ where: { workspace_id: workspaceId, idempotency_key: keys } });
  if (found === null) return null;
  if (found.request_digest?.equals(digest) !== true) throw idempotencyMismatch();
  if (found.status === 'accepting') await decide(deps, found);
  return { row: found.get(), isReplay: true };
}

/**
 * Accepts the whole batch or nothing of it.
 * @param pagesOf creates the pages of messages; it is called again for each retry
 * @throws AppError 402 when the balance or the daily limit is too low, 409 when too many batches are open, 500 when the workflow did not
 * answer in time. Nothing is charged or stored then.
 */
export async function acceptBatch(
  deps: BulkDeps,
  caller: Caller,
  batch: NewBatch,
  pagesOf: () => AsyncIterable<NewGroup>,
): Promise<AcceptedBatch> {
  assertCanPay(caller, batch.cost);
  await assertBelow(deps.db, openBatches(deps, caller.workspaceId));
  for (let attempt = 1; attempt <= insertAttemptsMax; attempt += 1) {
    // created_at is set after the wait, because the watcher deletes batches that stay `accepting` for too long.
    const inserted = await limitInserts(async () => {
      const stamped = { ...batch, created_at: new Date() };
      return (await insertBatch(deps.db, stamped, pagesOf())) ? stamped : null;
    });
    if (inserted !== null) {
      await decide(deps, inserted);
      return { row: { ...inserted, status: 'sending', completed_at: null }, isReplay: false };
    }
    const first = await findAcceptedBatch(deps, caller, batch.idempotency_key, batch.request_digest);
    if (first !== null) return first;
  }
  throw internal(new Error('another request with the same idempotency key was stored and refused repeatedly'), 1);
}

/** Starts the workflow of the batch, or joins it if it runs already, and waits until it accepts the batch. */
async function decide(deps: BulkDeps, batch: NewBatch): Promise<void> {
  const { id: batchId, workspace_id: workspaceId, channel } = batch;
  let accepted: boolean;
  try {
    ({ accepted } = await deps.temporal.acceptBatch({ batchId, workspaceId, channel }));
  } catch (err) {
    deps.logger.warn(
      { err, workflow_id: workflowIds.batch(batchId) },
      'the workflow did not answer; deleting its batch unless it was accepted',
    );
    return fence(deps, batch, err);
  }
  if (!accepted) await refuse(deps, batch);
}

/** Deletes the batch unless its workflow has accepted it meanwhile. Afterwards the outcome is final. */
async function fence(deps: BulkDeps, batch: NewBatch, cause: unknown): Promise<void> {
  let isFenced = false;
  const isStored = await retryForever(deps.logger, async () => {
    isFenced ||= await fenceBatch(deps.db, batch.id);
    return (await Batch.count({ where: { id: batch.id } })) > 0;
  });
  if (isFenced) throw internal(cause, 1);
  if (!isStored) await refuse(deps, batch, cause);
}

const openBatches = ({ config }: BulkDeps, workspaceId: string): Quota => ({
  workspaceId,
  of: 'openBatches',
  most: config.quotas.openBatches,
});

/** Throws why the workflow refused the batch: the balance, the daily limit or the quota. If none applies, a request with the same key deleted it. */
async function refuse(
  deps: BulkDeps,
  { workspace_id, cost }: NewBatch,
  cause: unknown = new Error('a request with the same idempotency key deleted the batch'),
): Promise<never> {
  const funds = (await fundsOf(deps.db, [workspace_id])).get(workspace_id);
  const error = funds === undefined ? null : costError(cost, funds);
  if (error !== null) throw error;
  await assertBelow(deps.db, openBatches(deps, workspace_id));
  throw internal(cause, 1);
}
