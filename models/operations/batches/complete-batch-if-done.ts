import { type Database, select } from '../../db/database.js';

/** Marks a batch as completed if none of its messages are queued (docs/contract/batches.md). Safe to call at any time. */
export async function completeBatchIfDone(db: Database, batchId: string): Promise<void> {
  await select(db, complete, [batchId]);
}

// A cancelled batch keeps its status, and is completed in the same way.
const complete = `
  UPDATE batches b SET status = CASE b.status WHEN 'cancelled' THEN 'cancelled' ELSE 'completed' END, completed_at = now()
  WHERE b.id = $1 AND b.status IN ('sending', 'paused', 'cancelled') AND b.completed_at IS NULL
    AND NOT EXISTS (SELECT 1 FROM messages m WHERE m.batch_id = b.id AND m.status IN ('accepting', 'queued'))`;
