import { type Database, select } from '../../db/database.js';

/** Calls to an account that ended in the same way. */
export interface RecentOutcome {
  account: string;
  outcome: string;
  /** The code of the carrier, or the kind of the error. */
  detail: string | null;
  calls: number;
}

/** SQL: the detail of an attempt, if it is short and names no address or number. A carrier may put anything into its code. */
export const codeOf = (detail: string) => `CASE WHEN length(${detail}) <= 80 AND ${detail} !~ '@|[0-9]{7}' THEN ${detail} END`;

/**
 * Only the calls for the newest messages are read, whose ids begin with their time. Those for messages that waited may be missing. An index of
 * calls by time would make each hand-off dearer.
 */
export const recentCallsRead = 5_000;

/** How the calls of the last ten minutes ended, among those that are read, the most frequent end of each account first. */
export const recentOutcomes = (db: Database): Promise<RecentOutcome[]> => select<RecentOutcome>(db, read, [recentCallsRead]);

const read = `
  SELECT provider AS account, COALESCE(outcome, 'no response yet') AS outcome,
    ${codeOf('detail')} AS detail, count(*)::integer AS calls
  FROM (SELECT provider, outcome, detail, started_at FROM send_attempts ORDER BY message_id DESC, number DESC LIMIT $1) a
  WHERE started_at > now() - interval '10 minutes' GROUP BY 1, 2, 3 ORDER BY 1, 4 DESC, 2, 3`;
