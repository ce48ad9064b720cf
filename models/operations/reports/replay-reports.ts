import { type Database, select, selectIds } from '../../db/database.js';
import { highestId, idAfter, idBefore, lowestId } from '../../rules/values/id-time.js';
import { flagGroups, type StoredReport, type Wake } from './record-reports.js';
import { reportsOfMessages } from './reports-of-messages.js';

/** Which stored reports. An undefined field does not filter. */
export interface ReportFilter {
  provider?: string | undefined;
  messageId?: string | undefined;
  /** When they were received: from, and before. */
  since?: Date | undefined;
  until?: Date | undefined;
  /** Only those that match no message. */
  unmatched?: boolean;
}

export interface ReplayedReports {
  reports: number;
  /** How many still match no message. */
  unmatched: number;
  /** The groups that must be woken to apply their reports, with how many those are. */
  wakes: (Wake & { reports: number })[];
  /** The last report of the page; null if there are no more. */
  last: string | null;
}

/**
 * Puts a page of stored reports back into the inbox, oldest first, and matches them with messages again. A report that moved its message
 * before has no effect now and keeps the outcome `applied`. A report that was ignored or had an unknown id may have an effect now.
 * @param key see `erasureKey`
 * @param after the last report of the page before
 */
export async function replayReports(
  db: Database,
  key: Buffer,
  filter: ReportFilter,
  after: string | null,
  limit = 500,
): Promise<ReplayedReports> {
  const { provider = null, messageId = null, since = null, until = null, unmatched = false } = filter;
  // Ids begin with their time, so that only the reports of the period are read.
  const from = after ?? (since === null ? lowestId : idBefore(since));
  const to = until === null ? highestId : idAfter(until);
  const bind = [from, to, provider, since, until, limit, ...(messageId === null ? [] : [messageId])];
  const reopenOfPeriod = unmatched ? reopenUnmatched : reopenAll;
  const sql = messageId === null ? reopenOfPeriod : reopenOfMessage;
  const isContradiction = messageId !== null && unmatched; // reports of a message match it
  const reopened = isContradiction ? [] : await select<Omit<StoredReport, 'message_id'>>(db, sql, bind);
  const ids = reopened.map(({ id }) => id).toSorted(); // the statement returns them in any order
  const groupIds = reopened.flatMap(({ group_id }) => group_id ?? []);
  await flagGroups(db, groupIds, key);
  return {
    reports: reopened.length,
    unmatched: reopened.length - groupIds.length,
    wakes: groupIds.length === 0 ? [] : await select(db, pendingGroups, [groupIds]),
    last: reopened.length < limit ? null : (ids.at(-1) ?? null),
  };
}

// Also those that were flagged before: they wait if Temporal did not answer then, as in an earlier replay. To be woken twice does no harm.
const pendingGroups = `
  SELECT g.id AS "groupId", g.workflow_id AS "workflowId", g.closed_at IS NOT NULL AS late, given.reports
  FROM (SELECT id, count(*)::int AS reports FROM unnest($1::uuid[]) id GROUP BY id) given JOIN message_groups g ON g.id = given.id
  WHERE g.reports_pending`;

/** The groups among these that have reports that were not applied. */
export async function groupsWithReports(db: Database, groupIds: readonly string[]): Promise<Set<string>> {
  const sql = 'SELECT id FROM message_groups WHERE id = ANY($1::uuid[]) AND reports_pending';
  return new Set(await selectIds(db, sql, [groupIds]));
}

/** @param which SQL: a condition that an index serves */
const reopen = (which: string) => `
  WITH page AS (
    SELECT id, provider, provider_message_id, message_id FROM delivery_reports
    WHERE id > $1::uuid AND id < $2::uuid AND ($3::text IS NULL OR provider = $3)
      AND ($4::timestamptz IS NULL OR received_at >= $4) AND ($5::timestamptz IS NULL OR received_at < $5) AND ${which}
    ORDER BY id LIMIT $6 FOR UPDATE
  )
  UPDATE delivery_reports d SET applied_at = NULL, reopened_at = now(), message_id = matched.id, group_id = matched.group_id
  FROM page LEFT JOIN LATERAL (
    SELECT m.id, m.group_id FROM messages m WHERE m.id = page.message_id
    UNION ALL SELECT m.id, m.group_id FROM messages m
      WHERE page.message_id IS NULL AND m.provider = page.provider AND m.provider_message_id = page.provider_message_id
  ) matched ON true
  WHERE d.id = page.id
  RETURNING d.id, d.group_id`;

const reopenAll = reopen('true');
// A report without a message has no group, and is never applied.
const reopenUnmatched = reopen('message_id IS NULL AND group_id IS NULL AND applied_at IS NULL');
// Under the ids that providers gave to the message, and those that wait in the inbox of its group. As an array they are looked up by the index.
const reopenOfMessage = reopen(`message_id = $7::uuid AND id = ANY(ARRAY(
      ${reportsOfMessages('$7')}
      UNION SELECT d.id FROM messages m JOIN delivery_reports d ON d.group_id = m.group_id AND d.applied_at IS NULL WHERE m.id = $7))`);
