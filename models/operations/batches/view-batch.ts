/**
 * Batches as the API shows them. Their progress is counted at every read, so that it is always right. A read also marks a batch as completed if none of
 * its messages are queued any more.
 */
import { Op } from 'sequelize';
import { Batch, type BatchRow, type BatchStatus, type BriefBatch, briefBatchColumns } from '../../tables/batch.js';
import { type Database, select } from '../../db/database.js';
import { notFound } from '../../errors.js';
import { groupBy } from '../../rules/values/group-by.js';
import { type PublicStatus, publicStatuses } from '../../rules/messages/status.js';
import type { Listed, ListWindow } from '../../rules/values/list-window.js';
import { findBatch } from './change-batch.js';
import { completeBatchIfDone } from './complete-batch-if-done.js';

/** A batch in a list. */
export interface BriefBatchView {
  batch: BriefBatch;
  /** As shown: `scheduled` while the scheduled time is in the future. */
  status: BatchStatus;
  /** Messages by status; every message of the batch is in exactly one of them. */
  counts: Record<PublicStatus, number>;
  /** What it has cost so far, in thousandths of a credit. */
  creditsUsed: number;
}

export interface BatchView extends BriefBatchView {
  batch: BatchRow;
}

/** One batch of a workspace. @throws AppError not_found, also while the batch is undecided */
export async function viewBatch(db: Database, workspaceId: string, id: string): Promise<BatchView> {
  const batch = await findBatch(workspaceId, id);
  const [view] = await viewOf(db, [batch]);
  if (view === undefined) throw notFound('Batch');
  return { ...view, batch: batch.get() };
}

/** A part of a workspace's batches, newest first. Their errors are not read, because those of a hundred batches do not fit into memory. */
export async function viewBatches(db: Database, workspaceId: string, window: ListWindow): Promise<Listed<BriefBatchView>> {
  const listed = await Batch.ownedPage(workspaceId, window, {
    where: { status: { [Op.ne]: 'accepting' } },
    attributes: briefBatchColumns,
  });
  return { ...listed, rows: await viewOf(db, listed.rows) };
}

async function viewOf(db: Database, batches: Batch[]): Promise<BriefBatchView[]> {
  const counted = await countAll(db, batches);
  const views: BriefBatchView[] = [];
  for (const batch of batches) views.push(await viewWith(db, batch, counted.get(batch.id) ?? []));
  return views;
}

interface Count {
  batch_id: string;
  status: PublicStatus;
  messages: number;
  credits: number;
}

const countAll = async (db: Database, batches: Batch[]): Promise<Map<string, Count[]>> =>
  groupBy(await select<Count>(db, count, [batches.map(({ id }) => id)]), ({ batch_id }) => batch_id);

// A shown batch has no `accepting` messages: its messages are queued in the transaction that accepts it.
const count = `
  SELECT batch_id, status, count(*) AS messages, sum(credits_used)::bigint AS credits
  FROM messages WHERE batch_id = ANY($1::uuid[]) GROUP BY batch_id, status`;

async function viewWith(db: Database, batch: Batch, counted: Count[]): Promise<BriefBatchView> {
  const messagesOf = (status: PublicStatus) => counted.find((entry) => entry.status === status)?.messages ?? 0;
  const counts = Object.fromEntries(publicStatuses.map((status) => [status, messagesOf(status)])) as Record<PublicStatus, number>;
  if (counts.queued === 0 && batch.completed_at === null) {
    await completeBatchIfDone(db, batch.id);
    await batch.refresh();
  }
  const creditsUsed = counted.reduce((sum, { credits }) => sum + credits, 0);
  return { batch: batch.get(), status: statusOf(batch), counts, creditsUsed };
}

function statusOf({ status, scheduled_at }: Batch): BatchStatus {
  if (status === 'accepting') throw new Error('an undecided batch is not shown');
  return status === 'sending' && scheduled_at !== null && scheduled_at.getTime() > Date.now() ? 'scheduled' : status;
}
