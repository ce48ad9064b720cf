/**
 * The retrier of a webhook is the one workflow that attempts whatever was not acknowledged at once, and all deliveries of a webhook that is
 * ordered or has a rate. The webhook's row stores when its retrier looks next (`carrier_looks_at`), so that it is woken only if it would
 * look too late. Both sides lock that row: the retrier sees a delivery that was left to it, or is woken.
 */
import { type Database, inTransaction, select, selectIds, type Transaction } from '../../db/database.js';
import { groupBy } from '../../rules/values/group-by.js';
import { only, recordset } from '../../tables/columns.js';
import { deliveryColumns } from '../../tables/delivery.js';
import { claimOverdue } from './claim-overdue.js';
import { heldStatus, isHeld, isPending, lockedDeliveries } from './locked-deliveries.js';

/** Longer than an attempt takes. Until then, an attempt in progress belongs to its caller. */
const inFlightSeconds = 12;
/** A retrier that is late by this much no longer exists. */
const lostSeconds = 120;

interface NextAttempt {
  webhook_id: string;
  next_attempt_at: Date;
}

interface Waiting {
  id: string;
  webhook_id: string;
}

interface Leaving {
  /** Deliveries without an attempt in progress. */
  idle: readonly Waiting[];
  /** Deliveries whose first attempt is in progress and takes long. If its process dies, the retrier attempts them again. */
  inFlight?: readonly Waiting[];
}

/**
 * Leaves deliveries to the retriers of their webhooks.
 * @param isRepeated wakes the retriers in any case: an earlier call may have died before it could
 * @returns the webhooks whose retrier must be woken
 */
export async function leaveToRetriers(db: Database, { idle, inFlight = [] }: Leaving, isRepeated: boolean): Promise<string[]> {
  const all = [...idle, ...inFlight];
  if (all.length === 0) return [];
  return inTransaction(db, async (transaction) => {
    await lockWebhooksOf(db, transaction, all);
    return handOver(db, transaction, { idle, inFlight }, isRepeated);
  });
}

/**
 * Leaves deliveries whose attempt is long overdue to the retriers of their webhooks, for the watcher. They are claimed in the same transaction.
 * A claimed delivery no longer looks overdue, so a group that read it before it is left would attempt it beside the retrier.
 * @returns the webhooks whose retrier must be woken
 */
export async function leaveOverdue(db: Database, overdue: readonly Waiting[], olderThanSeconds: number): Promise<string[]> {
  if (overdue.length === 0) return [];
  return inTransaction(db, async (transaction) => {
    await lockWebhooksOf(db, transaction, overdue);
    return handOver(db, transaction, { idle: await claimOverdue(db, overdue, olderThanSeconds, transaction) }, false);
  });
}

async function lockWebhooksOf(db: Database, transaction: Transaction, deliveries: readonly Waiting[]): Promise<void> {
  await select(db, lockWebhooks, [[...new Set(deliveries.map(({ webhook_id }) => webhook_id))]], transaction);
}

async function handOver(db: Database, transaction: Transaction, { idle, inFlight = [] }: Leaving, isRepeated: boolean): Promise<string[]> {
  const idsOf = (list: readonly Waiting[]) => list.map(({ id }) => id);
  const rows = await select<NextAttempt>(db, leave, [idsOf([...idle, ...inFlight]), idsOf(inFlight), inFlightSeconds], transaction);
  const soonest = [...groupBy(rows, ({ webhook_id }) => webhook_id)].map(([webhook_id, of]) => ({
    webhook_id,
    next_attempt_at: new Date(Math.min(...of.map(({ next_attempt_at }) => next_attempt_at.getTime()))),
  }));
  return selectIds(db, wake, [JSON.stringify(soonest), isRepeated, lostSeconds], transaction);
}

const lockWebhooks = `SELECT 1 FROM webhooks WHERE id = ANY($1::uuid[]) ORDER BY id FOR NO KEY UPDATE`;

/** Held deliveries are left to no retrier. */
const leave = `
  WITH handed_over AS (
    UPDATE deliveries d SET in_child = true, carried = true,
      status = CASE WHEN ${isHeld} THEN ${heldStatus} ELSE d.status END,
      next_attempt_at = CASE WHEN ${isHeld} THEN NULL
        WHEN d.id = ANY($2::uuid[]) AND d.ladder_step = 0 THEN now() + $3 * interval '1 second' ELSE d.next_attempt_at END
    FROM webhooks w
    WHERE w.id = d.webhook_id AND d.id IN ${lockedDeliveries(`d.id = ANY($1::uuid[]) AND ${isPending}`)}
    RETURNING d.webhook_id, d.next_attempt_at
  )
  SELECT webhook_id, next_attempt_at FROM handed_over WHERE next_attempt_at IS NOT NULL`;

const wake = `
  UPDATE webhooks w SET carrier_looks_at = now()
  FROM ${recordset('$1', 'l', only(deliveryColumns, 'webhook_id', 'next_attempt_at'))}
  WHERE w.id = l.webhook_id AND ($2 OR w.carrier_looks_at IS NULL OR w.carrier_looks_at > GREATEST(now(), l.next_attempt_at, w.resume_at)
    OR w.carrier_looks_at < now() - $3 * interval '1 second')
  RETURNING w.id`;

/** How the deliveries of a webhook are attempted. */
export interface RetriedWebhook {
  workspace_id: string;
  ordered: boolean;
  rate: number | null;
}

/** Notes that the retrier looks from now on. @returns undefined if the webhook no longer exists */
export async function beginRetrying(db: Database, webhookId: string): Promise<RetriedWebhook | undefined> {
  const [webhook] = await select<RetriedWebhook>(db, begin, [webhookId]);
  return webhook;
}

const begin = `UPDATE webhooks SET carrier_looks_at = now() WHERE id = $1 RETURNING workspace_id, ordered, rate`;

/** When a retrier looks next. */
export interface RetrierRest {
  /** Milliseconds until then, not positive if a delivery is due; null if nothing waits and the retrier may end. */
  waitMs: number | null;
  /** The order by which the wait was read. */
  ordered: boolean;
}

/** Stores when the retrier looks next. */
export function restRetrier(db: Database, webhookId: string): Promise<RetrierRest> {
  return inTransaction(db, async (transaction) => {
    const [webhook] = await select<{ ordered: boolean }>(db, lockOne, [webhookId], transaction);
    if (webhook === undefined) return { waitMs: null, ordered: false };
    const { ordered } = webhook;
    const waitMs = await nextIn(db, webhookId, ordered, transaction);
    await select(db, look, [webhookId, waitMs], transaction);
    return { waitMs, ordered };
  });
}

async function nextIn(db: Database, webhookId: string, ordered: boolean, transaction: Transaction): Promise<number | null> {
  const [next] = await select<{ wait_ms: number }>(db, soonestOf(ordered ? 'd.seq, d.id' : 'd.next_attempt_at'), [webhookId], transaction);
  return next?.wait_ms ?? null;
}

const lockOne = `SELECT ordered FROM webhooks WHERE id = $1 FOR NO KEY UPDATE`;
const soonestOf = (order: string) => `
  SELECT extract(epoch FROM GREATEST(d.next_attempt_at, w.resume_at) - now())::double precision * 1000 AS wait_ms
  FROM deliveries d JOIN webhooks w ON w.id = d.webhook_id
  WHERE d.webhook_id = $1 AND d.status = 'pending' AND d.carried AND w.is_active AND w.deleted_at IS NULL ORDER BY ${order} LIMIT 1`;
const look = `UPDATE webhooks SET carrier_looks_at = now() + $2::double precision * interval '1 millisecond' WHERE id = $1`;
