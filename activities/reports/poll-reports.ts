import type { Database } from '../../models/db/database.js';
import type { Config } from '../../models/settings/config.js';
import { awaitingReports } from '../../models/operations/reports/awaiting-reports.js';
import { erasureKey } from '../../models/operations/erasure/erasure-key.js';
import { recordReports } from '../../models/operations/reports/record-reports.js';
import type { Providers } from '../handoff/providers/provider.js';
import { queryReports } from './query-report.js';

/** Status queries in parallel. */
const atOnce = 10;
/** No query begins later. The last queries and the storing of their reports end within the timeout of the activity. */
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
  config: Pick<Config, 'secretKeys' | 'reportTimeoutSeconds'>;
}

/**
 * Queries the providers for messages whose report is missing, and stores the reports in the inbox. If a provider does not answer, the queries
 * for a page of a batch take longer than an activity may, so a poll ends before. If all queries fail, the fault is ours, and the poll is
 * repeated.
 * @param signal aborted when the activity has to end
 * @returns the last message that was queried, when others are left for the next poll; otherwise null
 */
export async function pollReports(
  { db, providers, config }: PollDeps,
  groupId: string,
  { overdueAt = null, after = null }: PollLimits,
  signal: AbortSignal,
): Promise<string | null> {
  const until = performance.now() + sliceMs;
  const overdue = { at: overdueAt, timeoutSeconds: config.reportTimeoutSeconds };
  const awaiting = await awaitingReports(db, groupId, { overdue, after });
  let last: string | null = null;
  let answered = 0;
  const faults: unknown[] = [];
  let from = 0;
  for (; from < awaiting.length; from += atOnce) {
    if (last !== null && (signal.aborted || performance.now() >= until)) break;
    const some = awaiting.slice(from, from + atOnce);
    const queried = await queryReports(providers, some);
    faults.push(...queried.faults);
    answered += queried.answered;
    await recordReports(db, queried.reports, await erasureKey(db, config.secretKeys));
    last = some.at(-1)?.id ?? null;
  }
  if (answered === 0 && faults.length > 0) throw faults[0];
  return from < awaiting.length ? last : null;
}
