/** The watcher's queue of batches that are not completed, as `look-at-groups.ts` is of groups. */
import { type Database, select } from '../../db/database.js';
import { completeBatchIfDone } from '../batches/complete-batch.js';
import { fenceBatch } from '../batches/fence-batch.js';

/** A batch that is due for a look. */
export interface DueBatch {
  id: string;
  status: 'accepting' | 'sending' | 'paused' | 'completed' | 'cancelled';
  /** It was paused, resumed or cancelled, and its pages were not told of it by the watcher. In text: exact to the microsecond. */
  changedAt: string | null;
}

/** Between two looks at a batch that is under way. Its pages have looks of their own. */
const againSeconds = 300;

/** Takes batches that are due for a look, those that have waited longest first. */
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
 * Repairs what needs no workflow: a batch that nobody decided on is deleted, one of which nothing is queued any more is completed.
 * @returns whether its pages have to be told that it was changed
 */
export async function settleBatch(db: Database, { id, status, changedAt }: DueBatch): Promise<boolean> {
  if (status === 'accepting') await fenceBatch(db, id);
  else await completeBatchIfDone(db, id);
  return changedAt !== null && status !== 'paused';
}

/** Notes that the pages of a batch were told of this change; a later one is told again. */
export async function noteTold(db: Database, { id, changedAt }: DueBatch): Promise<void> {
  await select(db, 'UPDATE batches SET changed_at = NULL WHERE id = $1 AND changed_at = $2::timestamptz', [id, changedAt]);
}

/** Makes a batch due for a look soon: something about it failed. */
export async function lookAtBatchSoon(db: Database, id: string): Promise<void> {
  await select(db, `UPDATE batches SET look_at = now() + interval '10 seconds' WHERE id = $1`, [id]);
}
