import { setTimeout as rest } from 'node:timers/promises';
import { batchColumns, type BatchRow } from '../../tables/batch.js';
import { hexOf, namesOf, recordset, without } from '../../tables/columns.js';
import { type Database, inTransaction, select, type Transaction } from '../../db/database.js';
import { insertPage, type NewGroup } from '../messages/insert-messages.js';

/** A batch before it is decided: nothing was charged for it. */
export type NewBatch = Omit<BatchRow, 'status' | 'completed_at'>;

/** After each page the database has as long for others as the page took it, but no longer than this: a batch is to be accepted, too. */
const restMsMax = 30;

/**
 * Stores a batch and the messages of its pages, undecided (`accepting`): all of it or, after a crash, nothing. Pages are
 * asked for one at a time, so that whoever renders them can let others have their turn in between.
 * @returns false when the idempotency key is taken; waits for the request that is taking it
 */
export function insertBatch(db: Database, batch: NewBatch, pages: AsyncIterable<Omit<NewGroup, 'page'>>): Promise<boolean> {
  return inTransaction(db, async (transaction) => {
    if (!(await insertRow(db, transaction, batch))) return false;
    let number = 0;
    let stored = 0;
    let tookMs = 0;
    for await (const group of pages) {
      await rest(Math.min(tookMs, restMsMax));
      const startedAt = performance.now();
      stored += await insertPage(db, transaction, { ...group, page: { batchId: batch.id, number } });
      tookMs = performance.now() - startedAt;
      number += 1;
    }
    if (stored !== batch.accepted) throw new Error(`batch ${batch.id}: ${stored} messages for ${batch.accepted} accepted recipients`);
    return true;
  });
}

async function insertRow(db: Database, transaction: Transaction, batch: NewBatch): Promise<boolean> {
  const row = { ...batch, status: 'accepting', request_digest: hexOf(batch.request_digest) };
  const rows = await select(db, insert, [JSON.stringify([row])], transaction);
  return rows.length > 0;
}

const newColumns = without(batchColumns, 'completed_at');

const insert = `
  INSERT INTO batches (${namesOf(newColumns)})
  SELECT ${namesOf(newColumns)} FROM ${recordset('$1', 'row', newColumns)}
  ON CONFLICT (workspace_id, idempotency_key) WHERE idempotency_key IS NOT NULL DO NOTHING
  RETURNING id`;
