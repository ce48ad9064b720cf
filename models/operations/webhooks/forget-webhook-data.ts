/**
 * Retention: deletes the data of webhooks by age, first the bodies, then the attempts, then whole deliveries and events. Each page is a
 * short transaction that skips locked rows, so that sending never waits for it. Open deliveries are kept, however old they are.
 */
import type { Config } from '../../settings/config.js';
import { type Database, select } from '../../db/database.js';
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
  for (const kind of ['deliveries', 'bodies', 'attempts'] as const) {
    const days = retention[kind];
    if (days > 0) done[kind] = await sweep(db, kind, idBefore(new Date(Date.now() - days * dayMs)), untilMs, page);
  }
  if (done.deliveries > 0) await select(db, forgetDeleted, [page]);
  return done;
}

async function sweep(db: Database, kind: Kind, before: string, untilMs: number, page: number): Promise<number> {
  let swept = 0;
  let after = lowestId;
  if (kind !== 'deliveries') await select(db, begin, [kind, lowestId]);
  while (Date.now() < untilMs) {
    const [last] = await select<{ id: string; swept: number }>(db, statements[kind](page), [
      before,
      ...(kind === 'deliveries' ? [after] : []),
    ]);
    if (last === undefined) break;
    swept += last.swept;
    after = last.id;
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

/**
 * The size of a page is written out, because the planner would assume that a parameter selects a tenth of the table. The start of a page is
 * a scalar, because a join would read the index from its start.
 */
const statements: Readonly<Record<Kind, (page: number) => string>> = {
  bodies: (page) => `
    WITH ${placeOf('bodies')}, page AS (
      SELECT e.id FROM events e WHERE e.id > (SELECT swept_to FROM place) AND e.id < $1 ORDER BY e.id LIMIT ${page}
    ), forgotten AS (
      UPDATE events e SET body = NULL FROM page WHERE e.id = page.id AND NOT ${isOnItsWay('page.id')}
    ), ${last} ${goOn('bodies')}`,
  attempts: (page) => `
    WITH ${placeOf('attempts')}, page AS (
      SELECT d.id, d.status FROM deliveries d WHERE d.id > (SELECT swept_to FROM place) AND d.id < $1 ORDER BY d.id LIMIT ${page}
    ), forgotten AS (
      DELETE FROM delivery_attempts a USING page WHERE a.delivery_id = page.id AND page.status <> 'pending'
    ), ${last} ${goOn('attempts')}`,
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
