/** The progress of a replay: page by page until it ends, is cancelled, or its webhook becomes inactive. */
import { canNoLonger } from '../../conflicts.js';
import { type Database, inTransaction, select } from '../../db/database.js';
import type { DeliveryStatus } from '../../tables/delivery.js';
import { Replay, type ReplayStatus } from '../../tables/replay.js';
import { placeIn } from './replay-deliveries.js';

/** Whether a replay is neither completed nor cancelled. */
export async function isReplayRunning(db: Database, id: string): Promise<boolean> {
  return (await select(db, `SELECT 1 FROM replays WHERE id = $1 AND status = 'running'`, [id])).length > 0;
}

/** Notes that a replay waits, and is not lost. */
export async function noteReplayWaits(db: Database, id: string): Promise<void> {
  await select(db, `UPDATE replays SET progress_at = now() WHERE id = $1 AND status = 'running'`, [id]);
}

/** The deliveries that this replay has not attempted, in their order: the rest of a page that was interrupted. */
export async function notYetReplayed(db: Database, id: string, deliveryIds: readonly string[]): Promise<string[]> {
  const rows = await select<{ delivery_id: string }>(db, replayed, [id, deliveryIds]);
  const done = new Set(rows.map(({ delivery_id }) => delivery_id));
  return deliveryIds.filter((deliveryId) => !done.has(deliveryId));
}

/**
 * Records that these deliveries of a replay are done, once. Attempted and acknowledged deliveries are counted from the attempt log, so that
 * a page that is recorded after a crash is counted correctly. A cancel, and another run of the same page, come before or after it.
 * @param isLast there are no more deliveries
 * @returns the present status of the replay
 */
export function recordReplayPage(db: Database, id: string, deliveryIds: readonly string[], isLast: boolean): Promise<ReplayStatus> {
  const bind = [id, deliveryIds, deliveryIds.at(-1) ?? null, isLast];
  return inTransaction(db, async (transaction) => {
    await select(db, lock, [id], transaction);
    const [row] = await select<{ status: ReplayStatus }>(db, record, bind, transaction);
    return row?.status ?? 'stopped'; // deleted with its webhook
  });
}

/** SQL: the replay `r` has not reached the delivery with this id. */
const isAhead = (deliveryId: string) => `NOT EXISTS (
  SELECT 1 FROM deliveries was JOIN deliveries d ON d.id = ${deliveryId} WHERE was.id = r.reached AND (${placeIn('was')}) >= (${placeIn('d')}))`;

/** SQL: the replay `r` made the attempt `a`. Attempts of the former version name no replay: those since it began count. */
const isOwn = `a.trigger = 'replay' AND a.at >= r.created_at AND COALESCE(a.replay_id, r.id) = r.id`;

const replayed = `
  SELECT a.delivery_id FROM delivery_attempts a JOIN replays r ON r.id = $1 WHERE a.delivery_id = ANY($2::uuid[]) AND ${isOwn}`;

// A statement of its own: `page` and `next` must read the row as it is after the wait for this lock.
const lock = 'SELECT 1 FROM replays WHERE id = $1 FOR NO KEY UPDATE';

const record = `
  WITH page AS (
    SELECT count(DISTINCT a.delivery_id) AS attempted, count(DISTINCT a.delivery_id) FILTER (WHERE a.error IS NULL) AS acknowledged
    FROM replays r JOIN delivery_attempts a ON a.delivery_id = ANY($2::uuid[]) AND ${isOwn}
    WHERE r.id = $1 AND ${isAhead('$3::uuid')}
  ), next AS (
    SELECT CASE WHEN r.status <> 'running' THEN r.status
      WHEN NOT EXISTS (SELECT 1 FROM webhooks w WHERE w.id = r.webhook_id AND w.is_active AND w.deleted_at IS NULL) THEN 'stopped'
      WHEN $4 THEN 'completed' ELSE 'running' END AS status
    FROM replays r WHERE r.id = $1
  )
  UPDATE replays r SET attempted = r.attempted + page.attempted, acknowledged = r.acknowledged + page.acknowledged,
    reached = CASE WHEN ${isAhead('$3::uuid')} THEN COALESCE($3::uuid, r.reached) ELSE r.reached END, status = next.status, progress_at = now(),
    ended_at = CASE WHEN next.status <> 'running' THEN COALESCE(r.ended_at, now()) END
  FROM page, next WHERE r.id = $1 RETURNING r.status`;

/**
 * Cancels a replay: no further delivery is claimed (`claimReplayed`). A second call changes nothing.
 * @throws AppError not_found if the webhook has no such replay, conflict if it has ended otherwise
 */
export async function cancelReplay(db: Database, webhookId: string, id: string): Promise<Replay> {
  const replay = await Replay.ofWebhook(webhookId, id);
  await select(db, cancel, [replay.id]);
  await replay.reload();
  if (replay.status !== 'cancelled') throw canNoLonger('Replay', 'cancelled');
  return replay;
}

const cancel = `UPDATE replays SET status = 'cancelled', ended_at = now() WHERE id = $1 AND status = 'running'`;

/** What the workflow of a replay needs to begin or continue. */
export interface OverdueReplay {
  workspaceId: string;
  replayId: string;
  webhookId: string;
  since: string;
  until: string;
  statuses: DeliveryStatus[];
  after?: string;
}

/**
 * Running replays without progress for this time, which no workflow drives. A page of hanging deliveries takes up to two minutes.
 * @param after the last replay of the page before, in the order of their ids
 */
export async function overdueReplays(db: Database, olderThanSeconds: number, after: string | null = null): Promise<OverdueReplay[]> {
  const rows = await select<Replay & { workspace_id: string; reached: string | null }>(db, stuck, [olderThanSeconds, after]);
  return rows.map(({ id, workspace_id, webhook_id, since, until, statuses, reached }) => ({
    workspaceId: workspace_id,
    replayId: id,
    webhookId: webhook_id,
    since: since.toISOString(),
    until: until.toISOString(),
    statuses,
    ...(reached === null ? {} : { after: reached }),
  }));
}

const stuck = `
  SELECT r.id, w.workspace_id, r.webhook_id, r.since, r.until, r.statuses, r.reached FROM replays r JOIN webhooks w ON w.id = r.webhook_id
  WHERE r.status = 'running' AND r.progress_at < now() - $1 * interval '1 second' AND ($2::uuid IS NULL OR r.id > $2::uuid)
  ORDER BY r.id LIMIT 200`;
