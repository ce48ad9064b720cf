/** What the watcher looks for: work that somebody should be driving and nobody is. */
import { type Database, select } from '../database.js';
import { claimOverdue } from './claim-overdue.js';
import { fenceMessages } from './fence-messages.js';
import type { Wake } from './record-reports.js';

const batch = 200;

/** Undecided messages whose API process died before it could fence them. @returns how many were fenced */
export async function fenceStale(db: Database, olderThanSeconds: number): Promise<number> {
  const rows = await select<{ id: string }>(db, stale, [olderThanSeconds, batch]);
  return rows.length === 0
    ? 0
    : (
        await fenceMessages(
          db,
          rows.map(({ id }) => id),
        )
      ).length;
}

/** SQL of the message `m`, `accepting` or `queued`: the condition of the index `messages_undecided`, which only those who say it may use. */
const isUndecided = '(m.sent_at IS NULL AND m.failed_at IS NULL)';

const stale = `
  SELECT m.id FROM messages m
  WHERE ${isUndecided} AND m.status = 'accepting' AND m.batch_id IS NULL AND m.created_at < now() - $1 * interval '1 second' LIMIT $2`;

/** Batches that nobody decided; they are fenced one by one, see `fenceBatch`. */
export async function staleBatches(db: Database, olderThanSeconds: number): Promise<string[]> {
  const rows = await select<{ id: string }>(db, staleBatch, [olderThanSeconds, batch]);
  return rows.map(({ id }) => id);
}

const staleBatch = `SELECT id FROM batches WHERE status = 'accepting' AND created_at < now() - $1 * interval '1 second' LIMIT $2`;

/** Groups whose inbox holds reports that nobody has applied: the signal was lost. */
export function unwokenGroups(db: Database, olderThanSeconds: number): Promise<Wake[]> {
  return select<Wake>(db, unwoken, [olderThanSeconds, batch]);
}

const unwoken = `
  SELECT DISTINCT g.id AS "groupId", g.workflow_id AS "workflowId", g.closed_at IS NOT NULL AS late
  FROM delivery_reports d JOIN message_groups g ON g.id = d.group_id
  WHERE d.applied_at IS NULL AND d.received_at < now() - $1 * interval '1 second' LIMIT $2`;

export interface UndrivenGroup {
  groupId: string;
  workflowId: string;
  batchId: string | null;
  /** Of a message with a fallback. */
  fallbackAfterMs: number | null;
}

/** Groups with messages that should have been handed off long ago. Their workflow may still be trying; starting it again is harmless. */
export function undrivenGroups(db: Database, olderThanSeconds: number): Promise<UndrivenGroup[]> {
  return select(db, undriven, [olderThanSeconds, batch]);
}

const undriven = `
  SELECT DISTINCT g.id AS "groupId", g.workflow_id AS "workflowId", g.batch_id AS "batchId",
    (SELECT (f.steps -> 0 ->> 'after')::integer * 1000 FROM fallbacks f WHERE f.message_id = g.id) AS "fallbackAfterMs"
  FROM messages m JOIN message_groups g ON g.id = m.group_id LEFT JOIN batches b ON b.id = g.batch_id
  WHERE ${isUndecided} AND m.status = 'queued' AND b.status IS DISTINCT FROM 'paused' AND COALESCE(m.scheduled_at, m.created_at) < now() - $1 * interval '1 second' AND NOT EXISTS (
    SELECT 1 FROM send_attempts a WHERE a.message_id = m.id AND a.started_at > now() - $1 * interval '1 second') LIMIT $2`;

/**
 * Claims pending deliveries that are overdue and for which no carrier looks: the process died between the status change and the
 * attempt. No round of their group attempts them any more.
 */
export async function overdueDeliveries(db: Database, olderThanSeconds: number): Promise<{ id: string; webhook_id: string }[]> {
  return claimOverdue(db, await select<{ id: string; webhook_id: string }>(db, overdue, [olderThanSeconds, batch]), olderThanSeconds);
}

/**
 * Webhook by webhook, so that a backlog is not read: of those whose carrier is gone one delivery is enough, and the others are few. What a
 * change of the webhook ended is not overdue: it is settled by the carrier.
 */
const overdue = `
  SELECT d.id, d.webhook_id FROM webhooks w CROSS JOIN LATERAL (
    (SELECT u.id, u.webhook_id, u.next_attempt_at FROM deliveries u
     WHERE u.webhook_id = w.id AND u.status = 'pending' AND NOT u.carried AND u.next_attempt_at < now() - $1 * interval '1 second'
     ORDER BY u.next_attempt_at LIMIT ${batch})
    UNION ALL
    (SELECT c.id, c.webhook_id, c.next_attempt_at FROM deliveries c
     WHERE c.webhook_id = w.id AND c.status = 'pending' AND c.carried AND c.next_attempt_at < now() - $1 * interval '1 second'
       AND (w.carrier_looks_at IS NULL OR w.carrier_looks_at < now() - $1 * interval '1 second')
     ORDER BY c.next_attempt_at LIMIT 1)
  ) d
  WHERE (w.resume_at IS NULL OR w.resume_at < now() - $1 * interval '1 second') AND (w.is_active OR w.settled_revision >= w.revision)
  ORDER BY d.next_attempt_at LIMIT $2`;

/** Mails that were not sent. */
export async function unsentMails(db: Database, olderThanSeconds: number): Promise<string[]> {
  const rows = await select<{ id: string }>(db, unsent, [olderThanSeconds, batch]);
  return rows.map(({ id }) => id);
}

const unsent = `SELECT id FROM mails WHERE sent_at IS NULL AND refused_code IS NULL AND created_at < now() - $1 * interval '1 second' LIMIT $2`;

/** Messages that waited for a report longer than any workflow does: their workflow is gone. @returns their groups */
export async function forgottenGroups(db: Database, olderThanSeconds: number): Promise<string[]> {
  const rows = await select<{ id: string }>(db, forgotten, [olderThanSeconds, batch]);
  return rows.map(({ id }) => id);
}

const forgotten = `
  SELECT g.id FROM message_groups g
  WHERE g.closed_at IS NULL AND g.created_at < now() - $1 * interval '1 second'
    AND NOT EXISTS (SELECT 1 FROM messages m WHERE m.group_id = g.id AND (m.status IN ('accepting', 'queued') OR m.sent_at > now() - $1 * interval '1 second'))
  LIMIT $2`;
