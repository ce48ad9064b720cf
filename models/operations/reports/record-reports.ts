import { makeId } from '../../rules/values/make-id.js';
import { type Database, select } from '../../db/database.js';
import { apiMetrics } from '../../metrics/catalogue.js';
import type { IncomingReport } from '../../rules/callbacks/callback.js';
import { digestOfNamingId } from '../../rules/contacts/carrier-ids.js';
import { publicStatuses } from '../../rules/messages/status.js';
import { eventOfStatus } from '../../rules/webhooks/events.js';
import { only, recordset, without } from '../../tables/columns.js';
import { type DeliveryReport, deliveryReportColumns } from '../../tables/delivery-report.js';
import { stopwatch } from '../../tracing/tracing.js';
import { applyReports } from './apply-reports.js';
import { dropKnownHandoffs } from './drop-known-handoffs.js';
import { traceReports } from './trace-reports.js';

/** A group with work to do. Its workflow must be signalled, or has closed (`late`). */
export interface Wake {
  groupId: string;
  workflowId: string;
  late: boolean;
}

/** A report in the inbox, with its message and its group if they are known. */
export type StoredReport = Pick<DeliveryReport, 'id' | 'group_id' | 'message_id'>;

/**
 * Stores reports in the inbox, each once, and returns the groups that must be woken. A group is woken at most once until it has read its
 * inbox, however many reports arrive meanwhile. Reports for unknown ids wait in the inbox.
 * @param key finds messages whose erasure replaced the provider's id by its digest, see `erasureKey`. Their reports store the digest, too
 */
export async function recordReports(db: Database, given: IncomingReport[], key: Buffer): Promise<Wake[]> {
  const reports = await dropKnownHandoffs(db, given);
  if (reports.length === 0) return [];
  const elapsed = stopwatch();
  const rows = reports.map((report) => ({ ...report, id: makeId(), digest: digestOfNamingId(key, report.provider_message_id) }));
  const stored = await select<StoredReport>(db, store, [JSON.stringify(rows)]);
  // A repeated report changes nothing. While it is not applied, its group is woken again, because the first call may have died before that.
  if (stored.length < rows.length) stored.push(...(await select<StoredReport>(db, repeated, [JSON.stringify(rows)])));
  const unmatched = stored.filter(({ group_id }) => group_id === null).map(({ id }) => id);
  if (unmatched.length > 0) {
    const matched = await select<StoredReport>(db, matchAgain, [JSON.stringify(rows), unmatched]);
    apiMetrics.reportsUnmatched.inc(unmatched.length - matched.length);
    stored.push(...matched);
  }
  traceReports(db, rows, stored, elapsed);
  return flagGroups(
    db,
    stored.flatMap(({ group_id }) => group_id ?? []),
    key,
  );
}

const givenColumns = {
  ...without(deliveryReportColumns, 'group_id', 'received_at', 'reopened_at', 'applied_at', 'outcome', 'reason', 'repeats'),
  digest: deliveryReportColumns.provider_message_id,
};

// The digest is looked up only if there is no message with the id itself.
const store = `
  INSERT INTO delivery_reports (id, provider, provider_message_id, status, message_id, group_id, error_code, is_permanent, provider_error_code, occurred_at, raw)
  SELECT r.id, r.provider, CASE WHEN matched.erased_at IS NULL THEN r.provider_message_id ELSE COALESCE(r.digest, r.provider_message_id) END,
    r.status, matched.id, matched.group_id, r.error_code, r.is_permanent, r.provider_error_code, r.occurred_at, r.raw
  FROM ${recordset('$1', 'r', givenColumns)}
  LEFT JOIN LATERAL (
    SELECT m.id, m.group_id, m.erased_at FROM messages m WHERE m.provider = r.provider AND m.provider_message_id = r.provider_message_id
    UNION ALL SELECT m.id, m.group_id, m.erased_at FROM messages m WHERE m.provider = r.provider AND m.provider_message_id = r.digest
    UNION ALL SELECT m.id, m.group_id, m.erased_at FROM messages m WHERE m.id = r.message_id AND m.provider_message_id IS NULL
      AND EXISTS (SELECT 1 FROM send_attempts a WHERE a.message_id = m.id AND a.provider = r.provider) LIMIT 1
  ) matched ON true
  -- One order: otherwise two callbacks with the same reports could each wait for what the other has inserted.
  ORDER BY r.provider, r.provider_message_id, r.status
  ON CONFLICT (provider, provider_message_id, status) DO NOTHING
  RETURNING id, group_id, message_id`;

/** SQL: the given reports with the rows that store them, under the provider's id or its digest. */
const givenWithStored = `
  ${recordset('$1', 'r', only(givenColumns, 'id', 'provider', 'provider_message_id', 'digest', 'status'))}
    JOIN delivery_reports d ON d.provider = r.provider AND d.provider_message_id IN (r.provider_message_id, r.digest) AND d.status = r.status`;

const repeated = `
  WITH again AS (
    SELECT d.id, count(*) AS times FROM ${givenWithStored} AND d.id <> r.id
    GROUP BY d.id
  ), locked AS (
    -- One order, so that callbacks that repeat the same reports wait for each other without a deadlock.
    SELECT d.id, again.times FROM delivery_reports d JOIN again ON again.id = d.id ORDER BY d.id FOR UPDATE OF d
  ), counted AS (
    UPDATE delivery_reports d SET repeats = d.repeats + locked.times FROM locked WHERE d.id = locked.id
    RETURNING d.id, d.group_id, d.message_id, d.applied_at
  )
  SELECT id, group_id, message_id FROM counted WHERE applied_at IS NULL`;

// A second search after the commit. `matchEarlyReports` in record-handoffs.ts is the other half. Meanwhile, an erasure may have renamed the
// report or its message.
const matchAgain = `
  WITH locked AS (
    SELECT d.id, r.provider, ARRAY[r.provider_message_id, r.digest] AS names FROM ${givenWithStored} AND d.id = ANY($2::uuid[]) ORDER BY d.id FOR UPDATE OF d
  )
  UPDATE delivery_reports d SET message_id = m.id, group_id = m.group_id
  FROM locked JOIN messages m ON m.provider = locked.provider AND m.provider_message_id = ANY(locked.names)
  WHERE d.id = locked.id
  RETURNING d.id, d.group_id, d.message_id`;

/**
 * Flags the groups that no other caller has flagged. Applies the reports of those that need no workflow, because they cause no event.
 * @param key see `erasureKey`
 * @returns the other ones, which the caller must wake
 */
export async function flagGroups(db: Database, groupIds: string[], key: Buffer): Promise<Wake[]> {
  if (groupIds.length === 0) return [];
  const woken = await select<Wake & { causeNoEvent: boolean }>(db, flagUnflagged, [groupIds]);
  const wakes: Wake[] = [];
  for (const { groupId, workflowId, late, causeNoEvent } of woken) {
    // A read receipt usually comes after the workflow has ended. Because it causes no event, applying it here saves a workflow.
    if (late && causeNoEvent) await applyReports(db, groupId, { key });
    else wakes.push({ groupId, workflowId, late });
  }
  return wakes;
}

const withoutEvent = publicStatuses.filter((status) => eventOfStatus[status] === null);

const flagUnflagged = `
  UPDATE message_groups g SET reports_pending = true
  FROM (
    -- One order, so that callbacks about the same groups wait for each other without a deadlock.
    SELECT id FROM message_groups WHERE id = ANY($1::uuid[]) AND NOT reports_pending ORDER BY id FOR UPDATE
  ) due
  WHERE g.id = due.id
  RETURNING g.id AS "groupId", g.workflow_id AS "workflowId", g.closed_at IS NOT NULL AS late, NOT EXISTS (
    SELECT 1 FROM delivery_reports d JOIN messages m ON m.id = d.message_id
    WHERE d.group_id = g.id AND d.applied_at IS NULL AND (d.status <> ALL ('{${withoutEvent.join(',')}}') OR m.status = 'sent')
  ) AS "causeNoEvent"`;
