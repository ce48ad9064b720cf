import { type Database, inTransaction, select } from '../../db/database.js';
import { deleteBatch } from './accept-batch.js';

/** `fenceMessages` for a whole batch: deletes it if it is undecided. @returns whether it was deleted */
export function fenceBatch(db: Database, batchId: string): Promise<boolean> {
  return inTransaction(db, async (transaction) => {
    const undecided = await select(db, `SELECT id FROM batches WHERE id = $1 AND status = 'accepting' FOR UPDATE`, [batchId], transaction);
    if (undecided.length > 0) await deleteBatch(db, transaction, batchId);
    return undecided.length > 0;
  });
}
