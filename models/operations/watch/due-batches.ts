/** The watcher's queue of batches that are not completed; `due-groups.ts` is its queue of groups. */
import { type Database, select } from '../../db/database.js';
import { completeBatchIfDone } from '../batches/complete-batch-if-done.js';
import { fenceBatch } from '../batches/fence-batch.js';

/** A batch that is due for a check. */
export interface DueBatch {
  id: string;
  status: 'accepting' | 'sending' | 'paused' | 'completed' | 'cancelled';
  /** When it was paused, resumed or cancelled, if the watcher has not yet notified its pages. As text, because a Date loses microseconds. */
  changedAt: string | null;
}

/** The time between two checks of an open batch. Its pages have checks of their own. */
const againSeconds = 300;

/** Takes the batches that are due for a check, in the order of their due times. */
export function takeDueBatches(db: Database, limit: number): Promise<DueBatch[]> {
  return select(db, take, [limit, againSeconds]);
}

const take = `
  UPDATE batches SET look_at = now() + $2 * interval '1 second'
  WHERE id IN (
    SELECT id FROM batches WHERE completed_at IS NULL AND look_at <= now() ORDER BY look_at LIMIT $1 FOR UPDATE SKIP LOCKED
  )
  RETURNING id, status, changed_at::text AS "changedAt"`;

/**
 * Repairs what needs no workflow: deletes a batch that was not decided in time, and completes a batch without queued messages.
 * @returns whether its pages must be notified of a change
 */
export async function settleBatch(db: Database, { id, status, changedAt }: DueBatch): Promise<boolean> {
  if (status === 'accepting') await fenceBatch(db, id);
  else await completeBatchIfDone(db, id);
  return changedAt !== null && status !== 'paused';
}

/** Notes that the pages of a batch were notified of this change. A later change needs another notification. */
export async function notePagesNotified(db: Database, { id, changedAt }: DueBatch): Promise<void> {
  await select(db, 'UPDATE batches SET changed_at = NULL WHERE id = $1 AND changed_at = $2::timestamptz', [id, changedAt]);
}

/** Makes a batch due for a check soon, because an operation on it failed. */
export async function checkBatchSoon(db: Database, id: string): Promise<void> {
  await select(db, `UPDATE batches SET look_at = now() + interval '10 seconds' WHERE id = $1`, [id]);
}
