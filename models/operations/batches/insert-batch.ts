import { setTimeout as rest } from 'node:timers/promises';
import { batchColumns, type BatchRow } from '../../tables/batch.js';
import { hexOf, namesOf, recordset, without } from '../../tables/columns.js';
import { type Database, inTransaction, restBetweenSteps, select, type Transaction } from '../../db/database.js';
import { insertPage, type NewGroup } from '../messages/insert-messages.js';

/** An undecided batch. Nothing was charged for it. */
export type NewBatch = Omit<BatchRow, 'status' | 'completed_at'>;

/**
 * After each page, the database is left to other processes for as long as the page took, but not longer than this, so that a batch is
 * accepted in time. Urgent work of this process gets more, see flow/give-way.ts.
 */
const restMsMax = 30;

/**
 * Stores a batch and the messages of its pages, undecided (`accepting`): all of it or, after a crash, nothing. Requests one page at a time,
 * so that the caller that renders them can yield to other work in between.
 * @returns false if the idempotency key is taken. Waits for a request that is taking it, until `lock_timeout`
 */
export function insertBatch(db: Database, batch: NewBatch, pages: AsyncIterable<Omit<NewGroup, 'page'>>): Promise<boolean> {
  return inTransaction(db, async (transaction) => {
    if (!(await insertRow(db, transaction, batch))) return false;
    let number = 0;
    let stored = 0;
    let tookMs = 0;
    for await (const group of pages) {
      await Promise.all([rest(Math.min(tookMs, restMsMax)), restBetweenSteps(db, tookMs)]);
      const startedAt = performance.now();
      stored += await insertPage(db, transaction, { ...group, page: { batchId: batch.id, number } });
      tookMs = performance.now() - startedAt;
      number += 1;
    }
    if (stored !== batch.accepted) throw new Error(`batch ${batch.id}: ${stored} messages for ${batch.accepted} accepted recipients`);
    await select(db, lookLater, [batch.id], transaction);
    return true;
  });
}

async function insertRow(db: Database, transaction: Transaction, batch: NewBatch): Promise<boolean> {
  const row = { ...batch, status: 'accepting', request_digest: hexOf(batch.request_digest) };
  const rows = await select(db, insert, [JSON.stringify([row])], transaction);
  return rows.length > 0;
}

/** By default the watcher's time runs from the beginning of the transaction, so it would delete a batch at once that took longer to store. */
const lookLater = `UPDATE batches SET look_at = clock_timestamp() + interval '120 seconds' WHERE id = $1`;

const newColumns = without(batchColumns, 'completed_at');

const insert = `
  INSERT INTO batches (${namesOf(newColumns)})
  SELECT ${namesOf(newColumns)} FROM ${recordset('$1', 'row', newColumns)}
  ON CONFLICT (workspace_id, idempotency_key) WHERE idempotency_key IS NOT NULL DO NOTHING
  RETURNING id`;
