/** Batches as the API shows them. Their progress is counted at every read, so that it is always right. */
import { Op } from 'sequelize';
import { Batch, type BatchRow, type BatchStatus } from '../../tables/batch.js';
import { type Database, select } from '../../db/database.js';
import { notFound } from '../../errors.js';
import { groupBy } from '../../rules/messages/group-by.js';
import { type PublicStatus, publicStatuses } from '../../rules/messages/status.js';
import type { Listed, ListWindow } from '../../rules/values/list-window.js';
import { completeBatchIfDone } from './complete-batch-if-done.js';

export interface BatchView {
  batch: BatchRow;
  /** As shown: `scheduled` while the scheduled time is in the future. */
  status: BatchStatus;
  /** Messages by status; every message of the batch is in exactly one of them. */
  counts: Record<PublicStatus, number>;
  /** What it has cost so far, in thousandths of a credit. */
  creditsUsed: number;
}

/** One batch of a workspace. @throws AppError not_found, also while the batch is undecided */
export async function viewBatch(db: Database, workspaceId: string, id: string): Promise<BatchView> {
  const batch = await Batch.owned(workspaceId, id);
  if (batch.status === 'accepting') throw notFound('Batch');
  const [view] = await viewOf(db, [batch]);
  if (view === undefined) throw notFound('Batch');
  return view;
}

/** A part of a workspace's batches, newest first. */
export async function viewBatches(db: Database, workspaceId: string, window: ListWindow): Promise<Listed<BatchView>> {
  const listed = await Batch.ownedPage(workspaceId, window, { where: { status: { [Op.ne]: 'accepting' } } });
  return { ...listed, rows: await viewOf(db, listed.rows) };
}

async function viewOf(db: Database, batches: Batch[]): Promise<BatchView[]> {
  const counted = await countAll(db, batches);
  const views: BatchView[] = [];
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

async function viewWith(db: Database, batch: Batch, counted: Count[]): Promise<BatchView> {
  const messagesOf = (status: PublicStatus) => counted.find((entry) => entry.status === status)?.messages ?? 0;
  const counts = Object.fromEntries(publicStatuses.map((status) => [status, messagesOf(status)])) as Record<PublicStatus, number>;
  if (counts.queued === 0 && batch.completed_at === null) {
    await completeBatchIfDone(db, batch.id);
    await batch.reload();
  }
  const creditsUsed = counted.reduce((sum, { credits }) => sum + credits, 0);
  return { batch: batch.get(), status: statusOf(batch), counts, creditsUsed };
}

function statusOf({ status, scheduled_at }: Batch): BatchStatus {
  if (status === 'accepting') throw new Error('an undecided batch is not shown');
  return status === 'sending' && scheduled_at !== null && scheduled_at.getTime() > Date.now() ? 'scheduled' : status;
}
