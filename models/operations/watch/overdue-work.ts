/**
 * Finds overdue work that nothing drives, apart from groups and batches. Each kind is read in pages, oldest first. `after` is the last row
 * of the page before, so that rows that cannot be repaired do not block the later ones.
 */
import { type Database, select, selectIds } from '../../db/database.js';
import { lowestId } from '../../rules/values/id-time.js';
import type { Wake } from '../reports/record-reports.js';

/** The number of rows of a page. */
export const repairPageSize = 200;

/** Groups whose inbox has reports that were not applied, because the signal was lost. In the order of their ids, and so of their age. */
export function unwokenGroups(db: Database, olderThanSeconds: number, after: string | null = null): Promise<Wake[]> {
  return select<Wake>(db, unwoken, [olderThanSeconds, after ?? lowestId, repairPageSize]);
}

// Reports for unknown ids are in the same index, but have no group. The condition on the id excludes them.
const unwoken = `
  SELECT g.id AS "groupId", g.workflow_id AS "workflowId", g.closed_at IS NOT NULL AS late
  FROM (
    SELECT DISTINCT d.group_id FROM delivery_reports d
    WHERE d.applied_at IS NULL AND d.group_id > $2::uuid AND COALESCE(d.reopened_at, d.received_at) < now() - $1 * interval '1 second' ORDER BY d.group_id LIMIT $3
  ) waiting JOIN message_groups g ON g.id = waiting.group_id ORDER BY g.id`;

/** SQL: the watcher should have looked at this group; the time is longer than two of its runs. */
export const isCheckOverdue = (group: string) => `${group}.look_at < now() - interval '60 seconds'`;

/** A delivery without a retrier whose next attempt is overdue. */
export interface OverdueDelivery {
  id: string;
  webhook_id: string;
  /** As text, because a Date loses microseconds. */
  due_at: string;
}

/** Overdue pending deliveries that were not left to a retrier. Their process died between the status change and the attempt. */
export function overdueDeliveries(db: Database, olderThanSeconds: number, after?: OverdueDelivery): Promise<OverdueDelivery[]> {
  return select(db, overdue, [olderThanSeconds, after?.due_at ?? '-infinity', after?.id ?? lowestId, repairPageSize]);
}

/** SQL: the webhook `w` is active, or its deliveries are settled. Deliveries that are not settled are left to its retrier. */
export const isSettledOrActive = '(w.is_active OR w.settled_revision >= w.revision)';

const overdue = `
  SELECT d.id, d.webhook_id, d.next_attempt_at::text AS due_at FROM deliveries d JOIN webhooks w ON w.id = d.webhook_id
  WHERE d.status = 'pending' AND NOT d.carried AND d.next_attempt_at < now() - $1 * interval '1 second'
    AND (d.next_attempt_at, d.id) > ($2::timestamptz, $3::uuid) AND (w.resume_at IS NULL OR w.resume_at < now() - $1 * interval '1 second')
    AND ${isSettledOrActive}
  ORDER BY d.next_attempt_at, d.id LIMIT $4`;

/**
 * Webhooks whose retrier has overdue deliveries and has not looked for them in time: it no longer runs, or was not woken. Only the retrier of an
 * ordered webhook sleeps while a delivery is due. In the order of their ids.
 */
export function lostRetriers(db: Database, olderThanSeconds: number, after: string | null = null): Promise<string[]> {
  return selectIds(db, lost, [olderThanSeconds, after ?? lowestId, repairPageSize]);
}

const lost = `
  SELECT w.id FROM webhooks w
  WHERE w.id > $2::uuid AND (w.carrier_looks_at IS NULL OR w.carrier_looks_at < now() - $1 * interval '1 second'
      OR w.carrier_looks_at > now() AND NOT w.ordered)
    AND (w.resume_at IS NULL OR w.resume_at < now() - $1 * interval '1 second') AND ${isSettledOrActive} AND EXISTS (
      SELECT 1 FROM deliveries d
      WHERE d.webhook_id = w.id AND d.status = 'pending' AND d.carried AND d.next_attempt_at < now() - $1 * interval '1 second')
  ORDER BY w.id LIMIT $3`;

/** The time between two checks of a mail that its workflow still tries to send. */
const mailAgainSeconds = 300;

/** Takes unsent mails that are due for a check, in the order of their due times. */
export function takeUnsentMails(db: Database): Promise<string[]> {
  return selectIds(db, unsent, [repairPageSize, mailAgainSeconds]);
}

const unsent = `
  UPDATE mails SET look_at = now() + $2 * interval '1 second'
  WHERE id IN (
    SELECT id FROM mails WHERE sent_at IS NULL AND refused_code IS NULL AND look_at <= now() ORDER BY look_at LIMIT $1 FOR UPDATE SKIP LOCKED
  )
  RETURNING id`;
