import type { Database } from '../../models/db/database.js';
import { awaitingReports, type Overdue } from '../../models/operations/reports/awaiting-reports.js';
import { recordReports } from '../../models/operations/reports/record-reports.js';
import type { Providers } from './providers/provider.js';
import { queryReport } from './query-report.js';

/** Status queries in parallel. */
const atOnce = 10;
/** No query begins later. The last queries and the storing of their reports end within the time-out of the activity. */
const sliceMs = 40_000;

/** What a poll leaves out. */
export interface PollLimits {
  /** Only messages whose time for reports was over at this time (ISO 8601). */
  overdueAt?: string | null;
  /** The message where an earlier poll ended. */
  after?: string | null;
}

interface PollDeps {
  db: Database;
  providers: Providers;
  config: { reportTimeoutSeconds: Overdue['timeoutSeconds'] };
}

/**
 * Queries the providers for messages whose report is missing, and stores the reports in the inbox. If a provider does not answer, the queries
 * for a page of a batch take longer than an activity may, so a poll ends before.
 * @param signal aborted when the activity has to end
 * @returns the last message that was queried, when others are left for the next poll; otherwise null
 */
export async function pollReports(
  { db, providers, config }: PollDeps,
  groupId: string,
  { overdueAt = null, after = null }: PollLimits,
  signal: AbortSignal,
): Promise<string | null> {
  const until = Date.now() + sliceMs;
  const overdue = { at: overdueAt, timeoutSeconds: config.reportTimeoutSeconds };
  const awaiting = await awaitingReports(db, groupId, { overdue, after });
  let last: string | null = null;
  for (let from = 0; from < awaiting.length; from += atOnce) {
    if (last !== null && (signal.aborted || Date.now() >= until)) return last;
    const some = awaiting.slice(from, from + atOnce);
    const reports = await Promise.all(some.map((message) => queryReport(providers, message)));
    await recordReports(db, reports.flat());
    last = some.at(-1)?.id ?? null;
  }
  return null;
}
