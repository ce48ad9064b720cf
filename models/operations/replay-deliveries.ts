/** Replays: which deliveries of a time one takes, and how they get a new ladder. */
import { type Database, select } from '../database.js';
import { type DeliveryStatus, deliveryStatuses } from '../delivery.js';
import { testEventType } from '../rules/events.js';
import { lockedDeliveries } from './locked-deliveries.js';

/**
 * Deliveries of a webhook that were created in this time, both ends included, and are in one of these statuses. Neither tests
 * nor what has lost its body to age are taken.
 */
export interface ReplayRange {
  webhookId: string;
  since: Date;
  until: Date;
  statuses: readonly DeliveryStatus[];
}

/** The statuses are written out: the index of what was not delivered serves only those that it knows. */
const matching = (statuses: readonly DeliveryStatus[]) => `
  FROM deliveries d JOIN events e ON e.id = d.event_id AND e.body IS NOT NULL
  WHERE d.webhook_id = $1 AND d.created_at >= $2 AND d.created_at < $3
    AND d.status IN (${deliveryStatuses.filter((status) => statuses.includes(status)).map((status) => `'${status}'`)})
    AND d.event <> '${testEventType}'`;

export async function countReplayable(db: Database, range: ReplayRange): Promise<number> {
  const [row] = await select<{ matched: number }>(db, `SELECT count(*) AS matched ${matching(range.statuses)}`, bindOf(range));
  return row?.matched ?? 0;
}

/**
 * The next of them, oldest first.
 * @param after the last id of the list before; null at the beginning. Where it has been forgotten meanwhile, so has what was older: then
 * the list begins with the oldest that is left
 */
export async function listReplayable(db: Database, range: ReplayRange, after: string | null, limit: number): Promise<string[]> {
  const [last] = after === null ? [] : await select<{ at: string; seq: number }>(db, place, [after]);
  const order = placeIn('d').join(', ');
  const further = last === undefined ? '' : `AND d.created_at >= $4::timestamptz AND (${order}) > ($4::timestamptz, $5::bigint, $6::uuid)`;
  const list = `SELECT d.id ${matching(range.statuses)} ${further} ORDER BY ${order} LIMIT ${limit}`;
  const rows = await select<{ id: string }>(db, list, [...bindOf(range), ...(last === undefined ? [] : [last.at, last.seq, after])]);
  return rows.map(({ id }) => id);
}

/** SQL: what deliveries are replayed in the order of. */
export const placeIn = (delivery: string) => [`${delivery}.created_at`, `${delivery}.seq`, `${delivery}.id`];

/** As text: a date of the program has no microseconds. */
const place = `SELECT created_at::text AS at, seq FROM deliveries WHERE id = $1`;

/** Created is stored to the microsecond and shown to the millisecond: the last one counts whole. */
const bindOf = ({ webhookId, since, until }: ReplayRange) => [webhookId, since, new Date(until.getTime() + 1)];

/**
 * Puts failed and held deliveries at the foot of a new ladder, their first attempt due now and made by whoever calls this, not by
 * the carrier; not those of an inactive webhook.
 * @param again also what an earlier call put there and did not attempt
 * @returns the ids to attempt
 */
export async function requeueDeliveries(db: Database, ids: readonly string[], again: boolean): Promise<string[]> {
  const rows = await select<{ id: string }>(db, requeue, [ids, again]);
  return rows.map(({ id }) => id);
}

const requeue = `
  UPDATE deliveries SET status = 'pending', ladder_step = 0, in_child = true, carried = false, next_attempt_at = now()
  WHERE id IN ${lockedDeliveries(
    `d.id = ANY($1::uuid[]) AND w.is_active AND w.deleted_at IS NULL
      AND (d.status IN ('failed', 'held') OR $2 AND d.status = 'pending' AND d.ladder_step = 0)`,
    'JOIN webhooks w ON w.id = d.webhook_id',
  )} RETURNING id`;
