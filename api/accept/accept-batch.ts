/** Accepts batches, each exactly once for its idempotency key: stored undecided, debited by the workflow, decided in every case. */
import { Batch, type BatchRow } from '../../models/tables/batch.js';
import { quotaReached } from '../../models/conflicts.js';
import { lockNotAvailable, sqlStateOf } from '../../models/db/sql-state.js';
import { AppError, busy } from '../../models/errors.js';
import { fenceBatch } from '../../models/operations/batches/fence-batch.js';
import { insertBatch, type NewBatch } from '../../models/operations/batches/insert-batch.js';
import { assertLive } from '../../models/operations/accounts/as-caller.js';
import { assertBelow, type Quota, quotaRefusal } from '../../models/operations/workspaces/within-quota.js';
import type { NewGroup } from '../../models/operations/messages/insert-messages.js';
import { createConcurrencyLimit } from '../../models/flow/concurrency-limit.js';
import { type AcceptBatchAnswer, workflowIds } from '../../workflows/contract.js';
import type { BulkDeps } from '../deps.js';
import type { Caller } from '../http/caller.js';
import { assertCanPay, costError } from '../auth/sending-rules.js';
import { type AcceptedRow, acceptOnce, findFirstRequest } from './accept-once.js';
import { decide } from './decision.js';
import { retryForever } from './retry-forever.js';

/**
 * Another process may be storing a batch with the same idempotency key, which takes up to 40 seconds, or a migration may hold a table. The database
 * ends each wait after 5 seconds. Other batches are stored between two waits.
 */
const lockWaitsMax = 10;

export type AcceptedBatch = AcceptedRow<BatchRow>;

/** An insert holds a connection while it writes up to ten thousand rows. Other requests need connections too. */
const limitInserts = createConcurrencyLimit({ max: 2 });

/**
 * The batch of the first request with this idempotency key, once it is decided; null when there is none.
 * @throws AppError 422 when the first request was a different one, or its data were erased
 */
export async function findAcceptedBatch(
  deps: BulkDeps,
  { workspaceId }: Caller,
  key: string | null,
  digests: readonly (Buffer | null)[],
): Promise<AcceptedBatch | null> {
  const found = await findFirstRequest(deps, key, digests, (keys) =>
    Batch.findOne({ where: { workspace_id: workspaceId, idempotency_key: keys } }),
  );
  return found === null ? null : { row: await decided(deps, found), isReplay: true };
}

/**
 * The batch that a request has stored, once it is decided. For a request whose handler has ended without a response.
 * @returns null if the batch is not stored, so nothing is charged
 * @throws AppError why it was not accepted
 */
export async function decideStoredBatch(deps: BulkDeps, batchId: string): Promise<BatchRow | null> {
  const found = await retryForever(deps.logger, () => Batch.findByPk(batchId));
  return found === null ? null : decided(deps, found);
}

/** The batch of a row that may be undecided. */
async function decided(deps: BulkDeps, found: Batch): Promise<BatchRow> {
  if (found.status === 'accepting') await decideBatch(deps, found, null); // the row does not keep the client's trace
  return found.get();
}

export interface GivenBatch {
  batch: NewBatch;
  /** See `findFirstRequest`. */
  digests: readonly (Buffer | null)[];
  /** The `traceparent` header of the client's request. */
  traceparent: string | null;
  /** Makes the pages of the batch as it is stored. Called again for each attempt to insert. */
  pagesOf: (batch: NewBatch) => AsyncIterable<NewGroup>;
}

/**
 * Accepts a batch. When it throws, nothing is charged and nothing is stored.
 * @throws AppError 401 when the credential has ended meanwhile, 402 when the balance or the daily limit is too low for the sum, 409 when too
 * many batches are open, 500 when nothing was decided in time, 503 when the database makes it wait too long for a lock, usually because another
 * request stores the same batch
 */
export async function acceptNewBatch(
  deps: BulkDeps,
  caller: Caller,
  { batch, digests, traceparent, pagesOf }: GivenBatch,
): Promise<AcceptedBatch> {
  assertCanPay(caller, batch.cost);
  await assertBelow(deps.db, openBatches(deps, caller.workspaceId));
  return acceptOnce(
    async () => {
      const inserted = await insertInTurn(deps, batch, pagesOf);
      if (inserted === null) return null;
      await decideBatch(deps, inserted, traceparent).catch(async (refusal: unknown) => {
        await assertLive(deps.db, caller.workspaceId, caller); // it may be refused because the account was closed meanwhile
        throw refusal;
      });
      return { ...inserted, status: 'sending', completed_at: null };
    },
    () => findAcceptedBatch(deps, caller, batch.idempotency_key, digests),
  );
}

/** Stores the batch when its turn comes. @returns null if its idempotency key is taken; @throws AppError 503 after too many waits */
async function insertInTurn({ db }: BulkDeps, batch: NewBatch, pagesOf: GivenBatch['pagesOf']): Promise<NewBatch | null> {
  for (let wait = 1; wait <= lockWaitsMax; wait += 1) {
    try {
      return await limitInserts(async () => {
        // Stamped after the wait for a turn: the watcher deletes batches that stay undecided for long, and an erasure that was completed
        // meanwhile leaves out only what was created after its request.
        const stamped = { ...batch, created_at: new Date() };
        return (await insertBatch(db, stamped, pagesOf(stamped))) ? stamped : null;
      });
    } catch (error) {
      if (sqlStateOf(error) !== lockNotAvailable) throw error;
    }
  }
  throw busy();
}

/** Returns when the batch is accepted. @throws AppError why it is not */
async function decideBatch(deps: BulkDeps, batch: NewBatch, traceparent: string | null): Promise<void> {
  const { id: batchId, workspace_id: workspaceId, channel } = batch;
  const decisions = await decide(deps, [batch], {
    workflowId: workflowIds.batch(batchId),
    ask: async () => {
      const { accepted, refused } = await deps.temporal.acceptBatch({ batchId, workspaceId, channel, traceparent });
      return { accepted: accepted ? [batchId] : [], reasons: new Map([[batchId, refusalOf(deps, batch, refused)]]) };
    },
    fence: async () => ((await fenceBatch(deps.db, batchId)) ? [batchId] : []),
    stored: async () => ((await Batch.count({ where: { id: batchId } })) > 0 ? [batchId] : []),
    otherRefusal: () => quotaRefusal(deps.db, openBatches(deps, workspaceId)),
  });
  const refusal = decisions.get(batchId);
  if (refusal instanceof AppError) throw refusal;
}

function refusalOf({ config }: BulkDeps, { cost }: NewBatch, refused: AcceptBatchAnswer['refused']): AppError | null {
  if (refused === undefined) return null;
  return refused === 'limit_reached' ? quotaReached('openBatches', config.quotas.openBatches) : costError(cost, refused);
}

const openBatches = ({ config }: BulkDeps, workspaceId: string): Quota => ({
  workspaceId,
  of: 'openBatches',
  max: config.quotas.openBatches,
});
