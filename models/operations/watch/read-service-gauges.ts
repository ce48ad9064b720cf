/** Gauges of the whole service that only the database knows. One process at a time reads them, every 15 seconds at most and at a bounded cost. */
import { type Database, select } from '../../db/database.js';
import type { GaugeReading } from '../../metrics/catalogue.js';
import { isCheckOverdue, isSettledOrActive } from './overdue-work.js';
import { dueTimeOf } from '../../rules/messages/schedule.js';
import { isOpen } from '../../rules/messages/status.js';

/** All processes use a reading for this time. */
const goodSeconds = 15;

/** The last reading, of this process or another. */
export interface Reading {
  age_seconds: number;
  found: GaugeReading;
}

/** Returns the last reading. Takes a new one if it is old and no other process does so; undefined if there is no reading yet. */
export async function readServiceGauges(db: Database): Promise<Reading | undefined> {
  const claimed = await select(db, claim, [goodSeconds]);
  if (claimed.length > 0) {
    const [row] = await select<{ found: GaugeReading }>(db, read);
    await select(db, 'UPDATE service_gauges SET found = $1::json, read_at = now()', [JSON.stringify(row?.found)]);
  }
  const [last] = await select<Reading>(db, show);
  return last;
}

const show = `
  SELECT extract(epoch FROM now() - read_at)::float AS age_seconds, found FROM service_gauges WHERE read_at IS NOT NULL`;

// The process that changes the row takes the reading. If it dies, another one does so after the same time.
const claim = `
  INSERT INTO service_gauges (claimed_at) VALUES (now())
  ON CONFLICT (only_row) DO UPDATE SET claimed_at = now() WHERE service_gauges.claimed_at < now() - $1 * interval '1 second'
  RETURNING claimed_at`;

const seconds = (sql: string) => `(SELECT extract(epoch FROM now() - (${sql}))::float)`;
/** Counts up to a maximum, because there can be millions of rows. */
const upTo = (limit: number, sql: string) => `(SELECT count(*)::integer FROM (SELECT 1 ${sql} LIMIT ${limit}) counted)`;

/** Waiting reports are in the order of the ids of their groups, which is nearly the order of their age. */
const waiting = 'FROM delivery_reports WHERE applied_at IS NULL AND group_id IS NOT NULL';
/** The maximum numbers of open groups and messages that are read. */
const groupsMax = 2_000;
const messagesMax = 20_000;
const overdue = `FROM message_groups o WHERE closed_at IS NULL AND ${isCheckOverdue('o')}`;

/** The next webhook with deliveries that no retrier has, and when the first of them is due. */
const nextWebhook = (after: string) => `
  SELECT webhook_id, next_attempt_at FROM deliveries
  WHERE status = 'pending' AND NOT carried ${after} ORDER BY webhook_id, next_attempt_at LIMIT 1`;

/**
 * When the oldest delivery that the watcher would repair was due. A receiver delays its own deliveries by `resume_at`: they are not overdue.
 * Only the first delivery of each webhook is read, so that the many of one that waits do not hide those of others.
 */
const overdueDelivery = `
  WITH RECURSIVE oldest AS (
    (${nextWebhook('')})
    UNION ALL SELECT next.* FROM oldest o CROSS JOIN LATERAL (${nextWebhook('AND webhook_id > o.webhook_id')}) next
  )
  SELECT min(GREATEST(d.next_attempt_at, w.resume_at)) FROM oldest d JOIN webhooks w ON w.id = d.webhook_id
  WHERE d.next_attempt_at < now() AND (w.resume_at IS NULL OR w.resume_at < now()) AND ${isSettledOrActive}`;

// Every part uses an index and reads a bounded number of rows. The table of webhooks is read completely, once.
const read = `
  WITH groups AS (
    SELECT id FROM message_groups WHERE closed_at IS NULL ORDER BY look_at LIMIT ${groupsMax}
  ), seen AS (
    SELECT m.status, m.status_detail AS reason, m.batch_id, ${dueTimeOf('m')} AS since
    FROM groups g JOIN messages m ON m.group_id = g.id WHERE ${isOpen('m')} LIMIT ${messagesMax}
  ), sample AS (
    SELECT status, reason, count(*)::integer AS count, GREATEST(0, extract(epoch FROM now() - min(since)))::float AS seconds
    FROM seen GROUP BY status, reason
  ), hooks AS (
    SELECT count(*) FILTER (WHERE is_active AND (resume_at > now()) IS NOT TRUE)::integer AS active,
      count(*) FILTER (WHERE is_active AND resume_at > now())::integer AS open, count(*) FILTER (WHERE NOT is_active AND disabled_reason IS NOT NULL)::integer AS disabled
    FROM webhooks WHERE deleted_at IS NULL
  ), audit AS (SELECT differences, began_at FROM audits ORDER BY day DESC LIMIT 1)
  SELECT json_build_object(
    'open_complete', (SELECT count(*) < ${groupsMax} FROM groups) AND (SELECT count(*) < ${messagesMax} FROM seen),
    'open_messages', (SELECT COALESCE(json_agg(sample), '[]') FROM sample),
    'unsent_seconds', ${seconds(`SELECT min(since) FROM seen WHERE status = 'queued' AND batch_id IS NULL AND since < now()`)},
    'groups_overdue', ${upTo(1_000, overdue)},
    'groups_overdue_seconds', ${seconds(`SELECT look_at ${overdue} ORDER BY look_at LIMIT 1`)},
    'inbox_waiting', ${upTo(2_000, waiting)},
    'inbox_unmatched', ${upTo(2_000, 'FROM delivery_reports WHERE applied_at IS NULL AND group_id IS NULL')},
    'inbox_seconds', ${seconds(`SELECT min(at) FROM (SELECT COALESCE(reopened_at, received_at) AS at ${waiting} ORDER BY group_id LIMIT 2000) oldest`)},
    'webhooks_active', hooks.active, 'webhooks_open', hooks.open, 'webhooks_disabled', hooks.disabled,
    'deliveries_overdue_seconds', ${seconds(overdueDelivery)},
    'oldest_delivery_seconds', ${seconds(`
      SELECT min(d.created_at) FROM (SELECT id FROM webhooks WHERE deleted_at IS NULL AND is_active AND failing_since IS NOT NULL LIMIT 200) w
      CROSS JOIN LATERAL (
        SELECT created_at FROM deliveries WHERE webhook_id = w.id AND status = 'pending' AND carried ORDER BY seq, id LIMIT 1
      ) d`)},
    'batches_open', ${upTo(1_000, 'FROM batches WHERE completed_at IS NULL')},
    'pages_open', (
      SELECT count(*)::integer FROM (SELECT id FROM batches WHERE completed_at IS NULL ORDER BY look_at LIMIT 100) b
      JOIN message_groups g ON g.batch_id = b.id WHERE g.closed_at IS NULL
    ),
    'mails_unsent', ${upTo(1_000, 'FROM mails WHERE sent_at IS NULL AND refused_code IS NULL')},
    'audit_differences', (SELECT differences FROM audit), 'audit_seconds', ${seconds('SELECT began_at FROM audit')}
  ) AS found FROM hooks`;
