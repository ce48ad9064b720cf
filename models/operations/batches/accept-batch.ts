import type { BatchRow } from '../../tables/batch.js';
import { afterCommit, type Database, inTransaction, select, type Transaction } from '../../db/database.js';
import { workMetrics } from '../../metrics/catalogue.js';
import { debit } from '../billing/post-credits.js';
import type { Funds } from '../billing/standing.js';
import type { PageStart } from './open-page.js';
import { countOf, type Quota } from '../workspaces/within-quota.js';
import { countText } from '../../rules/values/text.js';

/** The decision about a batch. */
export interface BatchAcceptance {
  accepted: boolean;
  /** When its pages are due, and on which channel. Set by the call that debited it. */
  start?: PageStart;
  /** Why it was refused. Absent if the workspace is closed, or if an earlier call decided. */
  refused?: BatchRefusal;
}

/** The funds that were too low for the batch, or too many open batches. */
export type BatchRefusal = Funds | 'limit_reached';

type Undecided = Pick<BatchRow, 'workspace_id' | 'channel' | 'status' | 'accepted' | 'cost' | 'scheduled_at'>;

/** The balance is too low, too many batches are open, or the workspace is closed. The transaction is rolled back. */
class Refused extends Error {
  constructor(readonly why?: BatchRefusal) {
    super();
  }
}

/**
 * Debits the sum of a batch and queues its messages, or deletes all of it if the balance is too low, too many batches are open, or the
 * workspace is closed. This is decided once, however often it is called.
 * @param openMax how many open batches the workspace can have
 */
export async function acceptBatch(db: Database, batchId: string, openMax: number): Promise<BatchAcceptance> {
  try {
    return await inTransaction(db, (transaction) => charge(db, transaction, batchId, openMax));
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    return inTransaction(db, (transaction) => refuse(db, transaction, batchId, error.why));
  }
}

async function charge(db: Database, transaction: Transaction, batchId: string, openMax: number): Promise<BatchAcceptance> {
  const [batch] = await select<Undecided>(db, lock, [batchId], transaction);
  if (batch?.status !== 'accepting') return { accepted: batch !== undefined };
  await select(db, `UPDATE batches SET status = 'sending' WHERE id = $1`, [batchId], transaction);
  await select(db, queue, [batchId], transaction);
  // The debit is last, because it locks the workspace's row until the commit. So the lock is short, whatever the number of messages.
  const description = `Bulk: ${countText(batch.accepted, `${batch.channel} message`)}`;
  const payment = { reference: batchId, amount: batch.cost, description, messages: batch.accepted };
  const { paid, refused } = await debit(db, transaction, batch.workspace_id, [payment]);
  if (paid.length === 0) throw new Refused(refused[batchId]);
  // Under the lock that the debit took. A closed workspace may be settled already, so nothing would cancel the batch.
  if ((await select(db, closed, [batch.workspace_id], transaction)).length > 0) throw new Refused();
  // This batch counts as open already.
  const quota: Quota = { workspaceId: batch.workspace_id, of: 'openBatches', max: openMax };
  if ((await countOf(db, quota, transaction)) > openMax) throw new Refused('limit_reached');
  afterCommit(transaction, () => workMetrics.statuses.inc({ channel: batch.channel, status: 'queued' }, batch.accepted));
  return { accepted: true, start: { channel: batch.channel, scheduledAt: batch.scheduled_at } };
}

/** Another call may have found enough credits meanwhile. Then its decision is valid. */
async function refuse(db: Database, transaction: Transaction, batchId: string, why?: BatchRefusal): Promise<BatchAcceptance> {
  const [batch] = await select<Undecided>(db, lock, [batchId], transaction);
  if (batch?.status === 'accepting') await deleteBatch(db, transaction, batchId);
  const accepted = batch !== undefined && batch.status !== 'accepting';
  return { accepted, ...(accepted || why === undefined ? {} : { refused: why }) };
}

const closed = 'SELECT 1 FROM workspaces WHERE id = $1 AND closed_at IS NOT NULL';
const lock = 'SELECT workspace_id, channel, status, accepted, cost, scheduled_at FROM batches WHERE id = $1 FOR UPDATE';
const queue = `UPDATE messages SET status = 'queued', credits_used = cost WHERE batch_id = $1 AND status = 'accepting'`;

/** Deletes a batch that was never accepted, with its messages and pages. */
export async function deleteBatch(db: Database, transaction: Transaction, batchId: string): Promise<void> {
  await select(db, 'DELETE FROM messages WHERE batch_id = $1', [batchId], transaction);
  await select(db, 'DELETE FROM message_groups WHERE batch_id = $1', [batchId], transaction);
  await select(db, 'DELETE FROM batches WHERE id = $1', [batchId], transaction);
}
