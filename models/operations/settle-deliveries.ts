/**
 * What a change of a webhook means for its pending deliveries. The change itself is one row: it raises the webhook's `revision` and counts at
 * once, because every attempt and every list reads that row too. The deliveries are settled afterwards, in pages, by the webhook's carrier;
 * the watcher wakes carriers of webhooks that are not settled, so that a crash only delays it.
 */
import { type Database, select } from '../database.js';
import { lowestId } from '../rules/id-time.js';
import { heldStatus } from './locked-deliveries.js';

/** Few enough that whoever wants one of them waits for milliseconds. */
const pageSize = 500;

interface Revisions {
  revision: number;
  held_revision: number;
  settled_revision: number;
}

/**
 * Settles one page of a webhook's pending deliveries: those from before it became inactive are held, or failed where it was deleted; those
 * that waited for a further attempt when it was given another address or another chance are due now, at the foot of their ladder, and the
 * carrier's. It waits for no lock; what somebody else holds comes with a later page.
 * @returns false when nothing is left to settle
 */
export async function settleDeliveries(db: Database, webhookId: string, page = pageSize): Promise<boolean> {
  const [webhook] = await select<Revisions>(db, revisions, [webhookId]);
  if (webhook === undefined || webhook.settled_revision >= webhook.revision) return false;
  const { revision, held_revision } = webhook;
  for (const [statement, ...bind] of [
    [hold, held_revision],
    [tryAgain, held_revision, revision],
  ] as const) {
    for (const isCarried of [true, false]) {
      const [done] = await select<{ found: number }>(db, statement(isCarried, page), [webhookId, ...bind]);
      if (done !== undefined && done.found > 0) return true;
    }
  }
  await select(db, settled, [webhookId, revision]);
  return false;
}

/** Webhooks whose deliveries are not settled, in the order of their ids. @param after the last one of the page before */
export async function unsettledWebhooks(db: Database, limit: number, after: string | null = null): Promise<string[]> {
  const rows = await select<{ id: string }>(db, unsettled, [limit, after ?? lowestId]);
  return rows.map(({ id }) => id);
}

const unsettled = 'SELECT id FROM webhooks WHERE settled_revision < revision AND id > $2::uuid ORDER BY id LIMIT $1';
const revisions = 'SELECT revision, held_revision, settled_revision FROM webhooks WHERE id = $1';
const settled = 'UPDATE webhooks SET settled_revision = GREATEST(settled_revision, $2) WHERE id = $1';

/** Carried ones and the others have an index each, which serves who names it. The size is written out, as the planner cannot see a parameter. */
const pageOf = (condition: string, isCarried: boolean, page: number, change: string) => `
  WITH page AS (
    SELECT d.id FROM deliveries d
    WHERE d.webhook_id = $1 AND d.status = 'pending' AND ${isCarried ? '' : 'NOT '}d.carried AND ${condition} LIMIT ${page}
  ), locked AS (
    SELECT d.id FROM deliveries d WHERE d.id IN (SELECT id FROM page) AND d.status = 'pending' FOR NO KEY UPDATE SKIP LOCKED
  ), moved AS (
    UPDATE deliveries d SET ${change} FROM webhooks w WHERE d.id IN (SELECT id FROM locked) AND w.id = d.webhook_id
  )
  SELECT count(*) AS found FROM page`;

const hold = (isCarried: boolean, page: number) =>
  pageOf('d.webhook_revision < $2', isCarried, page, `status = ${heldStatus}, next_attempt_at = NULL`);

/**
 * Those that are due have nothing to wait for, and one whose first attempt is under way stays: whoever makes it tells what comes next. From the
 * farthest on: what fails anew meanwhile is due sooner than what is left, and is not read again for every page.
 */
const tryAgain = (isCarried: boolean, page: number) =>
  pageOf(
    'd.webhook_revision >= $2 AND d.webhook_revision < $3 AND d.ladder_step > 0 AND d.next_attempt_at > now() ORDER BY d.next_attempt_at DESC',
    isCarried,
    page,
    'next_attempt_at = now(), ladder_step = 0, in_child = true, carried = true, webhook_revision = $3',
  );

/** SQL: the columns that a change writes which holds all pending deliveries of the webhook. Part of an update of `webhooks`. */
export const holdsPending = 'revision = revision + 1, held_revision = revision + 1';

/** The same for a change that gives another chance to all that wait for a further attempt. */
export const givesChance = 'revision = revision + 1';
