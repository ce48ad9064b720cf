/**
 * The effect of a change of a webhook on its pending deliveries. The change itself writes one row: it raises the webhook's `revision`, and takes
 * effect immediately, because every attempt and every list reads that row too. Afterwards the webhook's retrier settles the deliveries in
 * pages. The watcher wakes the retriers of webhooks that are not settled, so that a crash only delays it.
 */
import { type Database, select, selectIds } from '../../db/database.js';
import { lowestId } from '../../rules/values/id-time.js';
import { heldStatus } from './locked-deliveries.js';

/** Small, so that a transaction that needs one of the rows waits for milliseconds only. */
const pageSize = 500;

interface Revisions {
  is_active: boolean;
  revision: number;
  held_revision: number;
  settled_revision: number;
}

/** Where the next page begins, so that it need not scan the dead index entries of settled deliveries. */
export interface SettlingPlace {
  /** With another revision, the place has no meaning. */
  revision: number;
  step: number;
  /** The time of the next attempt up to which this step is done; null at its beginning. */
  reached: string | null;
  /** Whether the webhook was active when the page was read. */
  isActive: boolean;
}

/**
 * Settles one page of a webhook's pending deliveries. Those from before it became inactive are held, or failed if it was deleted. Those
 * that waited for a further attempt when it got another address or another chance are due now, at the start of their retry schedule, and
 * are left to the retrier. Waits for no lock: a later page includes the rows that others have locked.
 * @param from where the page before this one ended; null at the beginning, and always valid
 * @returns where the next page begins; null if nothing is left to settle
 */
export async function settleDeliveries(
  db: Database,
  webhookId: string,
  from: SettlingPlace | null,
  page = pageSize,
): Promise<SettlingPlace | null> {
  const [webhook] = await select<Revisions>(db, revisions, [webhookId]);
  if (webhook === undefined || webhook.settled_revision >= webhook.revision) return null;
  const { revision, is_active: isActive } = webhook;
  const place = from?.revision === revision ? from : { step: 0, reached: null };
  for (const [step, { isNeeded, bind, statement }] of steps.entries()) {
    if (step < place.step || !isNeeded(webhook)) continue;
    // Before the place, only rows that others had locked are left. The search from the beginning finds them afterwards.
    const starts = step === place.step && place.reached !== null ? [place.reached, null] : [null];
    for (const reached of starts) {
      const bound = [webhookId, ...bind(webhook), ...(reached === null ? [] : [reached])];
      const [done] = await select<{ found: number; reached: string | null }>(db, statement(page, reached !== null), bound);
      if (done !== undefined && done.found > 0) return { revision, step, reached: done.reached, isActive };
    }
  }
  await select(db, settled, [webhookId, revision]);
  return null;
}

/** Webhooks whose deliveries are not settled, in the order of their ids. @param after the last one of the page before */
export function unsettledWebhooks(db: Database, limit: number, after: string | null = null): Promise<string[]> {
  return selectIds(db, unsettled, [limit, after ?? lowestId]);
}

const unsettled = 'SELECT id FROM webhooks WHERE settled_revision < revision AND id > $2::uuid ORDER BY id LIMIT $1';
const revisions = 'SELECT revision, held_revision, settled_revision, is_active FROM webhooks WHERE id = $1';
const settled = 'UPDATE webhooks SET settled_revision = GREATEST(settled_revision, $2) WHERE id = $1';

interface PageSql {
  /** Which deliveries, and their change. */
  condition: string;
  change: string;
  /** By the time of the next attempt, because the index has that order. */
  order: 'ASC' | 'DESC';
  /** Deliveries that are left to the retrier, or the others. Each kind has its own index, which is used only if the kind is named. */
  isLeftToRetrier: boolean;
  /** The number of the first free parameter: the start of the page. */
  next: number;
}

/** The size is written out, because the planner cannot see a parameter. */
const pageOf =
  ({ condition, change, order, isLeftToRetrier, next }: PageSql) =>
  (page: number, isFurther: boolean) =>
    `
  WITH page AS (
    SELECT d.id, d.next_attempt_at FROM deliveries d
    WHERE d.webhook_id = $1 AND d.status = 'pending' AND ${isLeftToRetrier ? '' : 'NOT '}d.carried AND ${condition}
      ${isFurther ? `AND d.next_attempt_at ${order === 'ASC' ? '>=' : '<='} $${next}::timestamptz` : ''}
    ORDER BY d.next_attempt_at ${order} LIMIT ${page}
  ), locked AS (
    SELECT d.id FROM deliveries d WHERE d.id IN (SELECT id FROM page) AND d.status = 'pending' FOR NO KEY UPDATE SKIP LOCKED
  ), moved AS (
    UPDATE deliveries d SET ${change} FROM webhooks w WHERE d.id IN (SELECT id FROM locked) AND w.id = d.webhook_id
  )
  SELECT count(*) AS found, ${order === 'ASC' ? 'max' : 'min'}(next_attempt_at)::text AS reached FROM page`;

const hold = (isLeftToRetrier: boolean) => ({
  isNeeded: ({ held_revision, settled_revision }: Revisions) => held_revision > settled_revision,
  bind: ({ held_revision }: Revisions) => [held_revision],
  statement: pageOf({
    condition: 'd.webhook_revision < $2',
    change: `status = ${heldStatus}, next_attempt_at = NULL`,
    order: 'ASC',
    isLeftToRetrier,
    next: 3,
  }),
});

/**
 * Excludes due deliveries, which have nothing to wait for, and those whose first attempt is in progress, because its result determines the
 * next one. Latest first: a delivery that fails again meanwhile is due sooner than the rest, and is not read again for every page.
 */
const tryAgain = (isLeftToRetrier: boolean) => ({
  isNeeded: ({ revision, held_revision }: Revisions) => revision > held_revision,
  bind: ({ held_revision, revision }: Revisions) => [held_revision, revision],
  statement: pageOf({
    condition: 'd.webhook_revision >= $2 AND d.webhook_revision < $3 AND d.ladder_step > 0 AND d.next_attempt_at > now()',
    change: 'next_attempt_at = now(), ladder_step = 0, in_child = true, carried = true, webhook_revision = $3',
    order: 'DESC',
    isLeftToRetrier,
    next: 4,
  }),
});

const steps = [hold(true), hold(false), tryAgain(true), tryAgain(false)];

/** SQL: the columns that a change writes to hold all pending deliveries of the webhook. Part of an update of `webhooks`. */
export const holdsPending = 'revision = revision + 1, held_revision = revision + 1';

/** SQL: the columns that a change writes to make all deliveries due that wait for a further attempt. */
export const makesWaitingDue = 'revision = revision + 1';
