import { type Database, select } from '../../db/database.js';
import { type StoredReport, type Wake, wakeGroups } from './record-reports.js';

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
  /** The groups that must be woken to apply their reports. */
  wakes: Wake[];
  /** The last report of the page; null if there are no more. */
  last: string | null;
}

/**
 * Puts a page of stored reports back into the inbox, oldest first, and matches them with messages again. A report that moved its message
 * before has no effect now and keeps the outcome `applied`. A report that was ignored or had an unknown id may have an effect now.
 * @param after the last report of the page before
 */
export async function replayReports(db: Database, filter: ReportFilter, after: string | null, limit = 500): Promise<ReplayedReports> {
  const { provider = null, messageId = null, since = null, until = null, unmatched = false } = filter;
  const bind = [after, provider, messageId, since, until, unmatched, limit];
  const reopened = await select<Omit<StoredReport, 'message_id'>>(db, reopen, bind);
  const groupIds = reopened.flatMap(({ group_id }) => group_id ?? []);
  return {
    reports: reopened.length,
    unmatched: reopened.length - groupIds.length,
    wakes: await wakeGroups(db, groupIds),
    last:
      reopened.length < limit
        ? null
        : (reopened
            .map(({ id }) => id)
            .toSorted()
            .at(-1) ?? null),
  };
}

const reopen = `
  WITH page AS (
    SELECT id, provider, provider_message_id, message_id FROM delivery_reports
    WHERE ($1::uuid IS NULL OR id > $1) AND ($2::text IS NULL OR provider = $2) AND ($3::uuid IS NULL OR message_id = $3)
      AND ($4::timestamptz IS NULL OR received_at >= $4) AND ($5::timestamptz IS NULL OR received_at < $5)
      AND (NOT $6 OR message_id IS NULL)
    ORDER BY id LIMIT $7 FOR UPDATE
  )
  UPDATE delivery_reports d SET applied_at = NULL, message_id = matched.id, group_id = matched.group_id
  FROM page LEFT JOIN LATERAL (
    SELECT m.id, m.group_id FROM messages m WHERE m.id = page.message_id
    UNION ALL SELECT m.id, m.group_id FROM messages m
      WHERE page.message_id IS NULL AND m.provider = page.provider AND m.provider_message_id = page.provider_message_id
  ) matched ON true
  WHERE d.id = page.id
  RETURNING d.id, d.group_id`;
