/** Replays: which deliveries of a time one takes, and how they get a new ladder. */
import { type Database, select } from '../database.js';
import type { DeliveryStatus } from '../delivery.js';
import { testEventType } from '../rules/events.js';

/** Deliveries of a webhook that were created in this time, both ends included, and are in one of these statuses. Tests are not taken. */
export interface ReplayRange {
  webhookId: string;
  since: Date;
  until: Date;
  statuses: readonly DeliveryStatus[];
}

const matching = `
  FROM deliveries WHERE webhook_id = $1 AND id > $2 AND created_at >= $3 AND created_at < $4 AND status = ANY($5::text[])
    AND event <> '${testEventType}'`;

export async function countReplayable(db: Database, range: ReplayRange): Promise<number> {
  const [row] = await select<{ matched: number }>(db, `SELECT count(*) AS matched ${matching}`, bindOf(range, null));
  return row?.matched ?? 0;
}

/** The next of them, oldest first. @param after the last id of the list before; null at the beginning */
export async function listReplayable(db: Database, range: ReplayRange, after: string | null, limit: number): Promise<string[]> {
  const rows = await select<{ id: string }>(db, `SELECT id ${matching} ORDER BY id LIMIT ${limit}`, bindOf(range, after));
  return rows.map(({ id }) => id);
}

/** Created is stored to the microsecond and shown to the millisecond: the last one counts whole. */
const bindOf = ({ webhookId, since, until, statuses }: ReplayRange, after: string | null) => [
  webhookId,
  after ?? idBefore(since),
  since,
  new Date(until.getTime() + 1),
  statuses,
];

/** Ids begin with their time (UUIDv7), so the index finds where to begin; a transaction takes its time later than it makes ids. */
function idBefore(at: Date): string {
  const marginMs = 60_000;
  const hex = Math.max(0, at.getTime() - marginMs)
    .toString(16)
    .padStart(12, '0');
  return `${hex.slice(0, 8)}-${hex.slice(8)}-7000-8000-000000000000`;
}

/**
 * Puts failed and held deliveries at the foot of a new ladder, their first attempt due now and carried by whoever calls this;
 * not those of an inactive webhook.
 * @param again also what an earlier call put there and did not attempt
 * @returns the ids to attempt
 */
export async function requeueDeliveries(db: Database, ids: readonly string[], again: boolean): Promise<string[]> {
  const rows = await select<{ id: string }>(db, requeue, [ids, again]);
  return rows.map(({ id }) => id);
}

const requeue = `
  UPDATE deliveries d SET status = 'pending', ladder_step = 0, in_child = true, next_attempt_at = now()
  FROM webhooks w WHERE d.id = ANY($1::uuid[]) AND w.id = d.webhook_id AND w.is_active AND w.deleted_at IS NULL
    AND (d.status IN ('failed', 'held') OR $2 AND d.status = 'pending' AND d.ladder_step = 0)
  RETURNING d.id`;

/** Whether a webhook still takes deliveries. */
export async function takesDeliveries(db: Database, webhookId: string): Promise<boolean> {
  return (await select(db, 'SELECT 1 FROM webhooks WHERE id = $1 AND is_active AND deleted_at IS NULL', [webhookId])).length > 0;
}
