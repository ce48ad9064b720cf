/** Waits until no work is open after the load. */
import { setTimeout as sleep } from 'node:timers/promises';
import { type Database, select } from '../../models/db/database.js';
import type { Reporter } from './carriers/reporter.js';

/** The open work by name. All values are 0 when a run is settled. */
export type Moving = Record<string, number>;

/** Every minute, the watcher checks what is a minute old. The work that it starts takes time too. */
const settleMsMax = 240_000;
const lookEveryMs = 1_000;
/** So many checks in a row must find no open work. */
const stillLooks = 3;

/**
 * A message of a paused batch waits for its resume if a carrier may have it. The others expire: the load leaves no batch paused that does not
 * expire.
 */
const sql = `
  SELECT
    (SELECT count(*) FROM messages m LEFT JOIN batches b ON b.id = m.batch_id
      WHERE m.status IN ('accepting', 'queued') AND NOT (b.status IS NOT DISTINCT FROM 'paused' AND EXISTS (
        SELECT 1 FROM send_attempts a WHERE a.message_id = m.id AND (a.outcome IS NULL OR a.outcome = 'unknown'))))
      AS "messages accepting or queued",
    (SELECT count(*) FROM messages WHERE status = 'sent' AND status_detail = 'awaiting_report') AS "messages that wait for a report",
    (SELECT count(*) FROM deliveries d JOIN webhooks w ON w.id = d.webhook_id WHERE d.status = 'pending' AND w.is_active) AS "deliveries pending",
    (SELECT count(*) FROM replays WHERE status = 'running') AS "replays running",
    (SELECT count(*) FROM erasures WHERE status = 'running') AS "erasures running"`;

/** @returns the open work after the longest wait; empty if the run is settled */
export async function untilSettled(db: Database, reporter: Reporter): Promise<Moving> {
  const until = performance.now() + settleMsMax;
  let moving: Moving = { unknown: 1 };
  for (let still = 0; still < stillLooks; ) {
    moving = await whatMoves(db, reporter).catch((error: unknown) => ({ [`no answer of PostgreSQL: ${String(error)}`]: 1 }));
    still = Object.keys(moving).length === 0 ? still + 1 : 0;
    if (performance.now() > until) return moving;
    await sleep(lookEveryMs);
  }
  return moving;
}

async function whatMoves(db: Database, reporter: Reporter): Promise<Moving> {
  const [row = {}] = await select<Moving>(db, sql);
  return Object.fromEntries(Object.entries({ ...row, 'reports to come': reporter.open }).filter(([, count]) => count > 0));
}
