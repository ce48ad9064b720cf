import { type Database, select } from '../../db/database.js';
import type { DeliveryStatus } from '../../tables/delivery.js';
import type { EventType, testEventType } from '../../rules/webhooks/events.js';
import { claimOverdue } from './claim-overdue.js';
import { endDeliveries, heldStatus, isHeld, isPending } from './locked-deliveries.js';
import { withTraceparents } from './with-traceparents.js';

/** A delivery with all data that an attempt needs. */
export interface SendableDelivery {
  id: string;
  webhook_id: string;
  workspace_id: string;
  event_id: string;
  message_id: string | null;
  /** From the client's send request; null while tracing is off. */
  traceparent: string | null;
  event: EventType | typeof testEventType;
  body: string;
  url: string;
  secret: Buffer;
  old_secret: Buffer | null;
  old_secret_until: Date | null;
  /** Encrypted ed25519 keys; null if the owner did not choose asymmetric signatures. */
  signing_key: Buffer | null;
  old_signing_key: Buffer | null;
  ladder_step: number;
  /** The owner's choice for this webhook; null: the default of the setting, and no rate limit. */
  retry_delays: number[] | null;
  rate: number | null;
  ordered: boolean;
  /** When its owner changed the webhook, as text: a Date loses microseconds. A delivery that was read before this time must not be attempted. */
  changed_at: string;
  /** When the endpoint began to fail. Nothing was acknowledged since; null while the endpoint is healthy. */
  failing_since: Date | null;
  /** No attempt starts before. After it, one attempt is a probe. Null while the circuit breaker is closed. */
  resume_at: Date | null;
}

/** A delivery that waits for its next attempt. */
export interface DueDelivery extends SendableDelivery {
  /** Milliseconds until its own time, or its endpoint's if that is later; not positive if it is due. By the database's clock. */
  wait_ms: number;
  is_due: boolean;
  /** It has had no attempt for a long time, so the watcher may treat it as lost. */
  is_overdue: boolean;
}

/** A delivery of a group. */
export interface FirstDelivery extends DueDelivery {
  /** The group's events may go to several webhooks. */
  is_shared: boolean;
  /** The group does not attempt it: a child workflow, a retrier or a replay does, or must first attempt an earlier event of its message. */
  is_outside_group: boolean;
  /** The retrier of its webhook attempts it. */
  carried: boolean;
}

/** Half of the time after which the watcher treats a delivery as lost. In the other half, a round attempts or leaves all deliveries that it read. */
const overdueSeconds = 30;

const columnsWith = (more = '') => `
  SELECT d.id, d.webhook_id, w.workspace_id, d.event_id, d.message_id, NULL AS traceparent, d.event, e.body, w.url, w.secret, w.old_secret,
    w.old_secret_until, w.signing_key, w.old_signing_key, d.ladder_step, w.retry_delays, w.rate, w.ordered, w.updated_at::text AS changed_at,
    w.failing_since, w.resume_at,
    extract(epoch FROM GREATEST(d.next_attempt_at, w.resume_at) - now())::double precision * 1000 AS wait_ms,
    GREATEST(d.next_attempt_at, w.resume_at) <= now() AS is_due,
    NOT d.carried AND d.next_attempt_at < now() - ${overdueSeconds} * interval '1 second' AS is_overdue,
    w.is_active AND w.deleted_at IS NULL AS is_active, d.status = 'pending' AND ${isHeld} AS is_held${more}
  FROM deliveries d JOIN events e ON e.id = d.event_id JOIN webhooks w ON w.id = d.webhook_id`;
const columns = columnsWith();

/**
 * SQL: the place of a delivery in the order of events. Deliveries from before the sequence existed all have 0 there, and are ordered by
 * their ids.
 */
const placeOf = (delivery: string) => `(${delivery}.seq, ${delivery}.id)`;

/** SQL: the delivery `b` waits for its first attempt, and its event is an earlier one of the message of `d`. */
const isUntriedBefore = (b: string, d: string) =>
  `${b}.group_id = ${d}.group_id AND ${b}.status = 'pending' AND ${b}.webhook_id = ${d}.webhook_id AND ${b}.message_id = ${d}.message_id
    AND ${placeOf(b)} < ${placeOf(d)} AND ${b}.ladder_step = 0`;

/**
 * SQL: the retrier must attempt an earlier event of the message of this delivery, which must not be overtaken. `carried` is compared as a
 * number. Otherwise the planner could use an index of the retrier's deliveries, and read the whole backlog of the webhook for each
 * delivery.
 */
const isLeftToRetrier = `EXISTS (SELECT 1 FROM deliveries b WHERE ${isUntriedBefore('b', 'd')} AND b.carried::int = 1)`;

/**
 * The deliveries of a group that wait for their first attempt, in the order of their events. Holds those of inactive webhooks.
 * @param isRepeated includes those that were left to a child workflow: an earlier call may have died before it started the child
 */
export async function firstDeliveries(db: Database, groupId: string, isRepeated: boolean): Promise<FirstDelivery[]> {
  const rows = await activeOnly<FirstDelivery>(db, first, [groupId, isRepeated]);
  const lost = await lostToWatcher(db, rows);
  return rows.map((row) => (lost.has(row) ? { ...row, is_outside_group: true } : row));
}

const first = `${columnsWith(
  `, d.in_child OR d.carried OR ${isLeftToRetrier} AS is_outside_group, (SELECT count(*) FROM webhooks o WHERE o.is_active AND o.deleted_at IS NULL
      AND o.workspace_id = ANY (ARRAY(SELECT DISTINCT m.workspace_id FROM messages m WHERE m.group_id = $1))) > 1 AS is_shared, d.carried`,
)}
  WHERE d.group_id = $1 AND d.status = 'pending' AND ($2 OR NOT d.in_child) ORDER BY d.seq, d.id`;

/** The deliveries that are long overdue and that the watcher has just given to a retrier. */
async function lostToWatcher<Row extends DueDelivery>(db: Database, rows: readonly Row[]): Promise<Set<Row>> {
  const overdue = rows.filter(({ is_overdue }) => is_overdue);
  const lost = new Set(overdue);
  for (const claimed of await claimOverdue(db, overdue, overdueSeconds)) lost.delete(claimed);
  return lost;
}

/** A delivery with a workflow of its own. */
export interface OwnDelivery extends DueDelivery {
  /** An earlier event of its message still waits for its first attempt. */
  is_behind: boolean;
}

/** The given deliveries that are still pending and not left to the retrier, soonest first. Holds those of an inactive webhook. */
export async function pendingDeliveries(db: Database, ids: readonly string[]): Promise<OwnDelivery[]> {
  const rows = await activeOnly<OwnDelivery>(db, pending, [ids]);
  const lost = await lostToWatcher(db, rows);
  return rows.filter((row) => !lost.has(row));
}

const pending = `${columnsWith(`, EXISTS (SELECT 1 FROM deliveries b WHERE ${isUntriedBefore('b', 'd')}) AS is_behind`)}
  WHERE d.id = ANY($1::uuid[]) AND ${isPending} AND NOT d.carried ORDER BY GREATEST(d.next_attempt_at, w.resume_at), d.seq, d.id`;

/**
 * The next deliveries that the retrier of a webhook may attempt now, in the order of their attempts. Holds deliveries of an inactive webhook.
 * They are read by the times at which they are due. An event waits for an earlier event of its message whose first attempt is not recorded yet, if
 * that one is attempted by its group, is due later, or waits itself for one of these reasons.
 * @param ordered reads the oldest `limit` events instead, and returns those before the first one that is not due
 */
export async function retrierDeliveries(db: Database, webhookId: string, ordered: boolean, limit: number): Promise<DueDelivery[]> {
  if (!ordered) return activeOnly(db, leftToRetrier, [webhookId, limit]);
  const line = await activeOnly(db, inLine, [webhookId, limit]);
  const waiting = line.findIndex(({ is_due }) => !is_due);
  return waiting === -1 ? line : line.slice(0, waiting);
}

/**
 * Reads nothing before `resume_at`. Two levels are enough: whatever `c` waits for is an earlier event of `d`, too. OFFSET 0 prevents a join, which
 * would read the whole backlog of the webhook for each delivery.
 */
const leftToRetrier = `${columns}
  WHERE d.webhook_id = (SELECT id FROM webhooks WHERE id = $1 AND (resume_at IS NULL OR resume_at <= now()))
    AND d.status = 'pending' AND d.carried AND d.next_attempt_at <= now() AND NOT EXISTS (
      SELECT 1 FROM deliveries b WHERE ${isUntriedBefore('b', 'd')} AND (b.next_attempt_at > d.next_attempt_at OR b.carried::int = 0 OR EXISTS (
        SELECT 1 FROM deliveries c WHERE ${isUntriedBefore('c', 'b')} AND c.next_attempt_at > b.next_attempt_at OFFSET 0)) OFFSET 0)
  ORDER BY d.next_attempt_at, d.seq, d.id LIMIT $2`;

const inLine = `${columns}
  WHERE d.webhook_id = $1 AND d.status = 'pending' AND d.carried ORDER BY d.seq, d.id LIMIT $2`;

/** The given deliveries with one of these statuses, in the order of their events; none of an inactive webhook. */
export async function deliveriesIn(db: Database, ids: readonly string[], statuses: readonly DeliveryStatus[]): Promise<SendableDelivery[]> {
  const rows = await select<Row>(db, inStatus, [ids, statuses]);
  const isWanted = ({ is_active, is_held }: Row) => is_active && (!is_held || statuses.includes('held'));
  await holdAll(db, rows);
  return withBodies(db, rows.filter(isWanted));
}

const inStatus = `${columns}
  WHERE d.id = ANY($1::uuid[]) AND d.status = ANY($2::text[]) ORDER BY d.seq, d.id`;

type Row<Delivery extends DueDelivery = DueDelivery> = Delivery & {
  is_active: boolean;
  /** It is no longer pending, see `isHeld`. */
  is_held: boolean;
  body: string | null;
};

async function activeOnly<Delivery extends DueDelivery = DueDelivery>(db: Database, sql: string, bind: unknown[]): Promise<Delivery[]> {
  const rows = await select<Row<Delivery>>(db, sql, bind);
  await holdAll(db, rows);
  return withBodies(
    db,
    rows.filter(({ is_held }) => !is_held),
  );
}

/** Writes the status of held deliveries to their rows. */
async function holdAll(db: Database, rows: readonly Row[]): Promise<void> {
  const held = rows.filter(({ is_held }) => is_held).map(({ id }) => id);
  if (held.length > 0) await select(db, hold, [held]);
}

/** A delivery fails if it was replayed while the retention deleted its body. */
async function withBodies<Delivery extends DueDelivery>(db: Database, rows: readonly Row<Delivery>[]): Promise<Delivery[]> {
  const forgotten = rows.filter(({ body }) => body === null).map(({ id }) => id);
  if (forgotten.length > 0) await select(db, fail, [forgotten]);
  const whole = rows.filter(({ body }) => body !== null);
  return withTraceparents(db, whole);
}

const fail = endDeliveries(`'failed'`, 'd.id = ANY($1::uuid[])');

const hold = `${endDeliveries(heldStatus, 'd.id = ANY($1::uuid[])')} AND ${isHeld}`;
