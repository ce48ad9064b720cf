/** Pause, resume and cancel. Each takes effect before it returns, because a hand-off claims its messages under a lock on the batch's row. */
import { canNoLonger } from '../../conflicts.js';
import { Batch } from '../../tables/batch.js';
import { type Database, inTransaction, select, selectIds } from '../../db/database.js';
import { notFound } from '../../errors.js';
import { batchPages } from './batch-pages.js';
import { completeBatchIfDone } from './complete-batch-if-done.js';
import { announcePage } from './open-page.js';
import { cancelledChanges, cancelling, isCancellable } from '../messages/cancel-messages.js';
import { recordStatuses } from '../messages/record-statuses.js';
import { countText } from '../../rules/values/text.js';

/**
 * Stops the hand-offs. Messages that were handed off are not recalled. Pausing a paused batch changes nothing.
 * @throws AppError not_found, or conflict if the batch has ended
 */
export const pauseBatch = (db: Database, workspaceId: string, id: string): Promise<Batch> =>
  change(db, workspaceId, id, { to: 'paused', from: 'sending', verb: 'paused' });

/** Continues the hand-offs. Resuming a batch that is sending changes nothing. @throws AppError not_found, or conflict if the batch has ended */
export const resumeBatch = (db: Database, workspaceId: string, id: string): Promise<Batch> =>
  change(db, workspaceId, id, { to: 'sending', from: 'paused', verb: 'resumed' });

/**
 * Stops the hand-offs permanently. Every message that was not handed off fails as `cancelled` and is refunded. A second call completes what
 * a crash interrupted, and otherwise changes nothing.
 * @throws AppError not_found, or conflict if everything was handed off
 */
export async function cancelBatch(db: Database, workspaceId: string, id: string): Promise<Batch> {
  const batch = await findBatch(workspaceId, id);
  await completeBatchIfDone(db, id);
  await select(db, `UPDATE batches SET status = 'cancelled', ${schedulePageSignals} WHERE id = $1 AND status IN ('sending', 'paused')`, [
    id,
  ]);
  await batch.refresh();
  if (batch.status !== 'cancelled') throw canNoLonger('Batch', 'cancelled');
  await cancelQueued(db, id);
  return batch.refresh();
}

/** Fails the queued messages of a cancelled batch, page by page. Each page is one transaction with one refund. */
async function cancelQueued(db: Database, batchId: string): Promise<void> {
  const pagesAtOnce = 100;
  for (let from = 0; ; from += pagesAtOnce) {
    const groupIds = await batchPages(db, batchId, from, pagesAtOnce);
    for (const groupId of groupIds) await cancelPage(db, groupId);
    if (groupIds.length < pagesAtOnce) break;
  }
  await completeBatchIfDone(db, batchId);
}

/** Does the same for one page, for messages whose hand-off failed after the batch was cancelled. */
export async function cancelPage(db: Database, groupId: string): Promise<void> {
  await inTransaction(db, async (transaction) => {
    await announcePage(db, transaction, groupId);
    const queued = await selectIds(db, cancellable, [groupId], transaction);
    const [first] = queued;
    if (first === undefined) return;
    // A message is cancelled once, so its id identifies this refund. A page may be cancelled in two parts.
    const refundAs = {
      reference: `cancel:${first}`,
      description: `Refund: ${countText(queued.length, 'message')} of a cancelled batch`,
    };
    await recordStatuses(db, transaction, { ...cancelling, changes: cancelledChanges(queued, cancelled), refundAs });
  });
}

const cancelled = 'The batch was cancelled before the message was handed to the carrier';
const cancellable = `SELECT m.id FROM messages m WHERE m.group_id = $1 AND ${isCancellable} ORDER BY m.id FOR UPDATE`;

/** SQL: the watcher notifies the pages soon, in case the caller's signal is lost; see `takeDueBatches`. */
const schedulePageSignals = `changed_at = now(), look_at = now() + interval '10 seconds'`;

async function change(
  db: Database,
  workspaceId: string,
  id: string,
  { to, from, verb }: { to: 'paused' | 'sending'; from: 'paused' | 'sending'; verb: string },
): Promise<Batch> {
  const batch = await findBatch(workspaceId, id);
  await completeBatchIfDone(db, id);
  const made = await select(db, `UPDATE batches SET status = $2, ${schedulePageSignals} WHERE id = $1 AND status = $3 RETURNING id`, [
    id,
    to,
    from,
  ]);
  await batch.refresh();
  // By now another caller may have changed it back.
  if (made.length === 0 && batch.status !== to && batch.status !== from) throw canNoLonger('Batch', verb);
  return batch;
}

/** @throws AppError not_found, also for a batch that is not accepted yet */
export async function findBatch(workspaceId: string, id: string): Promise<Batch> {
  const batch = await Batch.owned(workspaceId, id);
  if (batch.status === 'accepting') throw notFound('Batch');
  return batch;
}
