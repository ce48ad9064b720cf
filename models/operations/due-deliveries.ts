import { type Database, select } from '../database.js';
import type { DeliveryStatus } from '../delivery.js';
import type { EventType, testEventType } from '../rules/events.js';

/** A delivery with all that an attempt needs. */
export interface SendableDelivery {
  id: string;
  webhook_id: string;
  event_id: string;
  message_id: string | null;
  event: EventType | typeof testEventType;
  body: string;
  url: string;
  secret: Buffer;
  old_secret: Buffer | null;
  old_secret_until: Date | null;
  ladder_step: number;
}

/** One that waits for its next attempt. */
export interface DueDelivery extends SendableDelivery {
  next_attempt_at: Date;
}

const columns = `
  SELECT d.id, d.webhook_id, d.event_id, d.message_id, d.event, e.body, w.url, w.secret, w.old_secret, w.old_secret_until,
    d.ladder_step, d.next_attempt_at, w.is_active AND w.deleted_at IS NULL AS is_active
  FROM deliveries d JOIN events e ON e.id = d.event_id JOIN webhooks w ON w.id = d.webhook_id`;

/**
 * Deliveries of a group that wait for their first attempt, in the order of their events. Holds those of paused webhooks.
 * @param again also those that were left to a child workflow: an earlier call died, perhaps before the child was started
 */
export function firstDeliveries(db: Database, groupId: string, again: boolean): Promise<DueDelivery[]> {
  return activeOnly(db, first, [groupId, again]);
}

const first = `${columns}
  WHERE d.group_id = $1 AND d.status = 'pending' AND ($2 OR NOT d.in_child) ORDER BY d.id`;

/** Those of the given deliveries that are still pending, soonest first. Holds those of a paused webhook. */
export function pendingDeliveries(db: Database, ids: readonly string[]): Promise<DueDelivery[]> {
  return activeOnly(db, pending, [ids]);
}

const pending = `${columns}
  WHERE d.id = ANY($1::uuid[]) AND d.status = 'pending' ORDER BY d.next_attempt_at, d.id`;

/** Those of the given deliveries that are in one of these statuses, in the order of their events. Holds those of a paused webhook. */
export function deliveriesIn(db: Database, statuses: readonly DeliveryStatus[], ids: readonly string[]): Promise<SendableDelivery[]> {
  return activeOnly(db, inStatus, [ids, statuses]);
}

const inStatus = `${columns}
  WHERE d.id = ANY($1::uuid[]) AND d.status = ANY($2::text[]) AND e.body IS NOT NULL ORDER BY d.id`;

async function activeOnly(db: Database, sql: string, bind: unknown[]): Promise<DueDelivery[]> {
  const rows = await select<DueDelivery & { is_active: boolean }>(db, sql, bind);
  const held = rows.filter(({ is_active }) => !is_active).map(({ id }) => id);
  if (held.length > 0) await select(db, hold, [held]);
  return rows.filter(({ is_active }) => is_active);
}

const hold = `UPDATE deliveries SET status = 'held', next_attempt_at = NULL WHERE id = ANY($1::uuid[]) AND status = 'pending'`;

/** Notes that child workflows carry these deliveries from now on. */
export async function leaveToChild(db: Database, ids: readonly string[]): Promise<void> {
  if (ids.length > 0) await select(db, 'UPDATE deliveries SET in_child = true WHERE id = ANY($1::uuid[])', [ids]);
}

/** How many of the deliveries ended as failed. */
export async function countFailed(db: Database, ids: readonly string[]): Promise<number> {
  const [row] = await select<{ failed: number }>(
    db,
    `SELECT count(*) AS failed FROM deliveries WHERE id = ANY($1::uuid[]) AND status = 'failed'`,
    [ids],
  );
  return row?.failed ?? 0;
}
