import { type Database, select } from '../../db/database.js';

/** Marks a batch as completed if none of its messages are queued (docs/contract/batches.md). Safe to call at any time. */
export async function completeBatchIfDone(db: Database, batchId: string): Promise<void> {
  await select(db, complete, [batchId]);
}

/**
 * The same after a hand-off of a page, with its time in one statement.
 * @returns seconds since the page was opened or due; null while it has queued messages
 */
export async function completePage(db: Database, batchId: string, groupId: string): Promise<number | null> {
  const [page] = await select<{ seconds: number }>(db, completeOfPage, [batchId, groupId]);
  return page?.seconds ?? null;
}

// A cancelled batch keeps its status, and is completed in the same way.
const complete = `
  UPDATE batches b SET status = CASE b.status WHEN 'cancelled' THEN 'cancelled' ELSE 'completed' END, completed_at = now()
  WHERE b.id = $1 AND b.status IN ('sending', 'paused', 'cancelled') AND b.completed_at IS NULL
    AND NOT EXISTS (SELECT 1 FROM messages m WHERE m.batch_id = b.id AND m.status IN ('accepting', 'queued'))`;
const completeOfPage = `
  WITH completed AS (${complete})
  SELECT GREATEST(0, extract(epoch FROM now() - GREATEST(g.announced_at, b.scheduled_at)))::float AS seconds
  FROM message_groups g JOIN batches b ON b.id = g.batch_id
  WHERE g.id = $2 AND NOT EXISTS (SELECT 1 FROM messages m WHERE m.group_id = g.id AND m.status = 'queued')`;
