/**
 * Retention: deletes the data of webhooks by age, first the bodies, then the attempts, then whole deliveries and events. Each page is a
 * short transaction, so that nothing waits for it for long. It skips locked events that it would delete, but waits for locks of bodies and attempts
 * (see `forgetting`). Open deliveries are kept, however old they are.
 */
import type { Config } from '../../settings/config.js';
import { currentTime, type Database, select } from '../../db/database.js';
import { idBefore, lowestId } from '../../rules/values/id-time.js';

type Retention = Config['webhookRetentionDays'];
type Kind = keyof Retention;

const dayMs = 86_400_000;
const pageSize = 1_000;

/**
 * Deletes what is old enough, page by page, until nothing is left or the time is over. The next call continues.
 * @param untilMs milliseconds since 1970
 * @returns how many events and deliveries were read, by kind
 */
export async function forgetWebhookData(
  db: Database,
  retention: Retention,
  untilMs: number,
  page = pageSize,
): Promise<Record<Kind, number>> {
  const done = { bodies: 0, attempts: 0, deliveries: 0 };
  const now = (await currentTime(db)).getTime(); // a worker's clock may be wrong by days
  for (const kind of ['deliveries', 'bodies', 'attempts'] as const) {
    const days = retention[kind];
    if (days > 0) done[kind] = await sweep(db, kind, idBefore(new Date(now - days * dayMs)), { untilMs, page });
  }
  if (done.deliveries > 0) await select(db, forgetDeleted, [page]);
  return done;
}

interface Bounds {
  untilMs: number;
  /** The size of a page. */
  page: number;
}

async function sweep(db: Database, kind: Kind, before: string, bounds: Bounds): Promise<number> {
  let swept = 0;
  let after = lowestId;
  if (kind !== 'deliveries') {
    await select(db, begin, [kind, lowestId]);
    swept += await sweepAgain(db, kind, bounds);
  }
  while (Date.now() < bounds.untilMs) {
    const [last] = await select<{ id: string; swept: number }>(db, statements[kind](bounds.page), [
      before,
      ...(kind === 'deliveries' ? [after] : []),
    ]);
    if (last === undefined) break;
    swept += last.swept;
    after = last.id;
  }
  return swept;
}

/** Checks again what was still to be sent when the sweep passed it. @returns how many were deleted */
async function sweepAgain(db: Database, kind: Kept, { untilMs, page }: Bounds): Promise<number> {
  let swept = 0;
  while (Date.now() < untilMs) {
    const [looked] = await select<{ due: number; swept: number }>(db, lateStatements[kind](page));
    swept += looked?.swept ?? 0;
    if ((looked?.due ?? 0) < page) break;
  }
  return swept;
}

/** The place of a sweep that does not delete its rows. One process sweeps. Others skip the locked place. */
const begin = `INSERT INTO retention_sweeps (kind, swept_to) VALUES ($1, $2) ON CONFLICT DO NOTHING`;
const placeOf = (kind: Kind) => `place AS (SELECT swept_to FROM retention_sweeps WHERE kind = '${kind}' FOR UPDATE SKIP LOCKED)`;
const last = `last AS (SELECT id, (SELECT count(*) FROM page) AS swept FROM page ORDER BY id DESC LIMIT 1)`;
const goOn = (kind: Kind) =>
  `UPDATE retention_sweeps SET swept_to = last.id FROM last WHERE kind = '${kind}' RETURNING last.id, last.swept`;

const isOnItsWay = (eventId: string) => `EXISTS (SELECT 1 FROM deliveries d WHERE d.event_id = ${eventId} AND d.status = 'pending')`;

/** Kinds whose rows stay. A sweep passes them once. */
type Kept = Exclude<Kind, 'deliveries'>;
const isStillPending: Readonly<Record<Kept, (id: string) => string>> = {
  bodies: isOnItsWay,
  attempts: (id) => `EXISTS (SELECT 1 FROM deliveries d WHERE d.id = ${id} AND d.status = 'pending')`,
};
/** SQL: in the order of the keys, because an erasure may change the same rows. Skipped rows would never be read again. */
const forgetting: Readonly<Record<Kept, (ids: string) => string>> = {
  bodies: (ids) => `UPDATE events SET body = NULL WHERE id IN (
      SELECT e.id FROM ${ids} JOIN events e ON e.id = ${ids}.id WHERE e.body IS NOT NULL ORDER BY e.id FOR NO KEY UPDATE OF e)`,
  attempts: (ids) => `DELETE FROM delivery_attempts WHERE (delivery_id, number) IN (
      SELECT a.delivery_id, a.number FROM ${ids} JOIN delivery_attempts a ON a.delivery_id = ${ids}.id
      ORDER BY a.delivery_id, a.number FOR UPDATE OF a)`,
};

/** SQL: defers what is still to be sent of a page, and deletes the data of the rest. */
const sweeping = (kind: Kept) => `ended AS (SELECT id FROM page WHERE NOT ${isStillPending[kind]('page.id')}), waiting AS (
      INSERT INTO retention_waits (kind, id, look_at) SELECT '${kind}', id, now() + interval '1 hour' FROM page WHERE ${isStillPending[kind]('page.id')}
      ON CONFLICT DO NOTHING
    ), forgotten AS (${forgetting[kind]('ended')})`;

const lateStatement = (kind: Kept) => (page: number) =>
  `
    WITH due AS (
      SELECT id FROM retention_waits WHERE kind = '${kind}' AND look_at <= now() ORDER BY look_at, id LIMIT ${page} FOR UPDATE SKIP LOCKED
    ), waiting AS (
      UPDATE retention_waits w SET look_at = now() + interval '1 hour' FROM due WHERE w.kind = '${kind}' AND w.id = due.id AND ${isStillPending[kind]('due.id')}
    ), ended AS (
      DELETE FROM retention_waits w USING due WHERE w.kind = '${kind}' AND w.id = due.id AND NOT ${isStillPending[kind]('due.id')} RETURNING w.id
    ), forgotten AS (${forgetting[kind]('ended')})
    SELECT (SELECT count(*) FROM due) AS due, (SELECT count(*) FROM ended) AS swept`;
const lateStatements = { bodies: lateStatement('bodies'), attempts: lateStatement('attempts') };

/**
 * The size of a page is written out, because the planner would assume that a parameter selects a tenth of the table. The start of a page is
 * a scalar, because a join would read the index from its start.
 */
const statements: Readonly<Record<Kind, (page: number) => string>> = {
  bodies: (page) => `
    WITH ${placeOf('bodies')}, page AS (
      SELECT e.id FROM events e WHERE e.id > (SELECT swept_to FROM place) AND e.id < $1 ORDER BY e.id LIMIT ${page}
    ), ${sweeping('bodies')}, ${last} ${goOn('bodies')}`,
  attempts: (page) => `
    WITH ${placeOf('attempts')}, page AS (
      SELECT d.id FROM deliveries d WHERE d.id > (SELECT swept_to FROM place) AND d.id < $1 ORDER BY d.id LIMIT ${page}
    ), ${sweeping('attempts')}, ${last} ${goOn('attempts')}`,
  deliveries: (page) => `
    WITH page AS (
      SELECT e.id FROM events e WHERE e.id > $2 AND e.id < $1 AND NOT ${isOnItsWay('e.id')} ORDER BY e.id LIMIT ${page} FOR UPDATE SKIP LOCKED
    ), forgotten AS (
      DELETE FROM events e USING page WHERE e.id = page.id
    ), ${last} SELECT id, swept FROM last`,
};

/** The row of a deleted webhook stays until its deliveries are deleted. */
const forgetDeleted = `
  DELETE FROM webhooks WHERE id IN (
    SELECT w.id FROM webhooks w WHERE w.deleted_at IS NOT NULL AND NOT EXISTS (SELECT 1 FROM deliveries d WHERE d.webhook_id = w.id) LIMIT $1)`;

/** Whether the retention has deleted the body of a delivery, so that it can no longer be sent. */
export async function isForgotten(db: Database, deliveryId: string): Promise<boolean> {
  return (await select(db, withoutBody, [deliveryId])).length > 0;
}

const withoutBody = `SELECT 1 FROM deliveries d JOIN events e ON e.id = d.event_id WHERE d.id = $1 AND e.body IS NULL`;
