/** Accepts a batch, as `accept.ts` does a message: stored undecided, debited by its workflow, decided in every case. */
import { Batch, type BatchRow } from '../../models/tables/batch.js';
import { idempotencyMismatch, internal } from '../../models/errors.js';
import { fenceBatch } from '../../models/operations/batches/fence-batch.js';
import { insertBatch, type NewBatch } from '../../models/operations/batches/insert-batch.js';
import { assertBelow, type Quota } from '../../models/operations/billing/within-quota.js';
import type { NewGroup } from '../../models/operations/messages/insert-messages.js';
import { fundsOf } from '../../models/operations/billing/standing.js';
import { createTurnstile } from '../../models/flow/turnstile.js';
import { workflowIds } from '../../workflows/contract.js';
import { keysOf } from '../http/idempotency.js';
import type { BulkDeps } from '../deps.js';
import type { Caller } from '../http/caller.js';
import { assertAffordable, refusalOfCost } from '../auth/standing.js';
import { untilKnown } from './until-known.js';

export interface AcceptedBatch {
  row: BatchRow;
  /** The request had come before; this is the batch of that time. */
  isReplay: boolean;
}

/** How often a request tries again whose twin was refused between its look-up and its insert. */
const insertAttemptsMax = 3;
/** Each insert holds a connection for as long as it takes to write ten thousand rows; others need connections too. */
const inTurn = createTurnstile({ most: 2 });

/**
 * The outcome of an earlier request with this idempotency key, waited for if it is still open; null when there is none.
 * @throws AppError 422 when that was another request, or one whose data were erased
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
 * Accepts a batch, or nothing of it.
 * @param pagesOf makes its pages; asked again when the request has to start over
 * @throws AppError 402 when the balance or the limit of the day is short of the sum, 409 when too many batches are open, 500 when nobody decided in
 * time: nothing is charged and nothing stays
 */
export async function acceptBatch(
  deps: BulkDeps,
  caller: Caller,
  batch: NewBatch,
  pagesOf: () => AsyncIterable<NewGroup>,
): Promise<AcceptedBatch> {
  assertAffordable(caller, batch.cost);
  await assertBelow(deps.db, openBatches(deps, caller.workspaceId));
  for (let attempt = 1; attempt <= insertAttemptsMax; attempt += 1) {
    // The watcher fences what stays undecided for long; waiting for its turn does not count.
    const inserted = await inTurn(async () => {
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
  throw internal(new Error('the idempotency key is taken again and again'), 1);
}

/** Starts or joins the batch's workflow and waits for its decision; returns when the batch is accepted. */
async function decide(deps: BulkDeps, batch: NewBatch): Promise<void> {
  const { id: batchId, workspace_id: workspaceId, channel } = batch;
  let accepted: boolean;
  try {
    ({ accepted } = await deps.temporal.acceptBatch({ batchId, workspaceId, channel }));
  } catch (err) {
    deps.logger.warn({ err, workflow_id: workflowIds.batch(batchId) }, 'the workflow did not answer: fencing its batch');
    return fence(deps, batch, err);
  }
  if (!accepted) await refuse(deps, batch);
}

/** After this nobody can decide otherwise: either the batch is gone for good, or its workflow has been faster. */
async function fence(deps: BulkDeps, batch: NewBatch, cause: unknown): Promise<void> {
  let isFenced = false;
  const isStored = await untilKnown(deps.logger, async () => {
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

/** The rows are gone. Because of the balance, the limit of the day or the quota, if that is true; else a twin of this request has fenced them. */
async function refuse(
  deps: BulkDeps,
  { workspace_id, cost }: NewBatch,
  cause: unknown = new Error('the batch was fenced by a twin request'),
): Promise<never> {
  const funds = (await fundsOf(deps.db, [workspace_id])).get(workspace_id);
  const refusal = funds === undefined ? null : refusalOfCost(cost, funds);
  if (refusal !== null) throw refusal;
  await assertBelow(deps.db, openBatches(deps, workspace_id));
  throw internal(cause, 1);
}
