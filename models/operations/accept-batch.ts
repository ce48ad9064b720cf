import type { BatchRow } from '../batch.js';
import { type Database, inTransaction, select, type Transaction } from '../database.js';
import { debit } from './post-credits.js';

/** What acceptance decided for a batch. */
export interface BatchAcceptance {
  accepted: boolean;
}

type Undecided = Pick<BatchRow, 'workspace_id' | 'channel' | 'status' | 'accepted' | 'cost'>;

/**
 * Debits the sum of a batch and queues its messages, or deletes all of it when the balance is short: one decision, taken once
 * however often this is called.
 */
export function acceptBatch(db: Database, batchId: string): Promise<BatchAcceptance> {
  return inTransaction(db, async (transaction) => {
    const [batch] = await select<Undecided>(db, lock, [batchId], transaction);
    if (batch === undefined) return { accepted: false };
    if (batch.status !== 'accepting') return { accepted: true };
    const description = `Bulk: ${batch.accepted} ${batch.channel} messages`;
    const payment = { reference: batchId, amount: batch.cost, description, messages: batch.accepted };
    const paid = await debit(db, transaction, batch.workspace_id, [payment]);
    if (paid.length === 0) {
      await deleteBatch(db, transaction, batchId);
      return { accepted: false };
    }
    await select(db, `UPDATE batches SET status = 'sending' WHERE id = $1`, [batchId], transaction);
    await select(db, queue, [batchId], transaction);
    return { accepted: true };
  });
}

const lock = 'SELECT workspace_id, channel, status, accepted, cost FROM batches WHERE id = $1 FOR UPDATE';
const queue = `UPDATE messages SET status = 'queued', credits_used = cost WHERE batch_id = $1 AND status = 'accepting'`;

/** Removes a batch that was never accepted, with its messages and pages. */
export async function deleteBatch(db: Database, transaction: Transaction, batchId: string): Promise<void> {
  await select(db, 'DELETE FROM messages WHERE batch_id = $1', [batchId], transaction);
  await select(db, 'DELETE FROM message_groups WHERE batch_id = $1', [batchId], transaction);
  await select(db, 'DELETE FROM batches WHERE id = $1', [batchId], transaction);
}
