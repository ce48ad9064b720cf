import type { Channel } from '../../channels.js';
import { type Database, select } from '../../db/database.js';
import { lowestId } from '../../rules/values/id-time.js';

/** A message that was handed off and has no final report. */
export interface AwaitedReport {
  id: string;
  provider: string;
  provider_message_id: string;
}

/** The messages whose time for reports was over at some time. */
export interface Overdue {
  /** ISO 8601; null: all messages. */
  at: string | null;
  /** How long a message waits for its report after its hand-off, in seconds by channel. */
  timeoutSeconds: Readonly<Record<Channel, number>>;
}

/** SQL: the time of the message `m` was over, or the time is null. @param first number of the first of two parameters */
export const isReportOverdue = (first: number) => `($${first}::timestamptz IS NULL
  OR m.sent_at <= $${first}::timestamptz - ($${first + 1}::json ->> m.channel)::double precision * interval '1 second')`;

/** The values of the parameters of `isReportOverdue`. */
export const overdueBind = ({ at, timeoutSeconds }: Overdue) => [at, JSON.stringify(timeoutSeconds)];

/**
 * The messages of a group that were handed off and have no final report, in the order of their ids.
 * @param overdue only those
 * @param after only those with greater ids; null: all
 */
export function awaitingReports(
  db: Database,
  groupId: string,
  { overdue, after }: { overdue: Overdue; after: string | null },
): Promise<AwaitedReport[]> {
  return select(db, awaiting, [groupId, after ?? lowestId, ...overdueBind(overdue)]);
}

const awaiting = `
  SELECT id, provider, provider_message_id FROM messages m
  WHERE group_id = $1 AND status = 'sent' AND status_detail = 'awaiting_report' AND provider_message_id IS NOT NULL AND id > $2::uuid
    AND ${isReportOverdue(3)}
  ORDER BY id`;
