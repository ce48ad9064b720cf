/** What a workspace has sent in a period. Uses the index on the ids of messages, which begin with their time. */
import { usageTooLarge } from '../../conflicts.js';
import { type Database, select } from '../../db/database.js';
import { idAfter, idBefore } from '../../rules/values/id-time.js';

export interface Period {
  /** The first moment of the period. */
  from: Date;
  /** The last moment of the period. */
  to: Date;
}

export type UsageBy = 'day' | 'channel';

/** Amounts in thousandths of a credit. */
export interface Usage {
  messages: number;
  delivered: number;
  failed: number;
  credits: number;
}

export type UsagePart = Usage & { part: string };

/** The maximum number of messages in one answer. More of them would occupy a connection for seconds. */
const usageMessagesMax = 200_000;

/**
 * The sums for each day (UTC) or channel with messages, in order. A message counts on the day of its acceptance, with its present state.
 * @param max the maximum number of messages; tests lower it
 * @throws AppError limit_reached if the period has more
 */
export async function sumUsage(
  db: Database,
  workspaceId: string,
  { from, to, by }: Period & { by: UsageBy },
  max = usageMessagesMax,
): Promise<UsagePart[]> {
  const ids = [idBefore(from), idAfter(to)];
  const parts = await select<UsagePart>(db, sums[by], [workspaceId, ...ids, from, to, max + 1]);
  if (parts.reduce((sum, { messages }) => sum + messages, 0) > max) throw usageTooLarge(max);
  return parts;
}

// The innermost part stops at the limit, so that the cost is bounded.
const sum = (part: string) => `
  SELECT ${part} AS part, count(*) AS messages, count(*) FILTER (WHERE status IN ('delivered', 'read')) AS delivered,
    count(*) FILTER (WHERE status = 'failed') AS failed, sum(credits_used)::bigint AS credits
  FROM (
    SELECT created_at, channel, status, credits_used FROM messages
    WHERE workspace_id = $1 AND id >= $2 AND id < $3 AND created_at BETWEEN $4 AND $5 AND status <> 'accepting'
    ORDER BY id DESC LIMIT $6
  ) m
  GROUP BY 1 ORDER BY 1`;

const sums: Readonly<Record<UsageBy, string>> = {
  day: sum(`to_char(created_at AT TIME ZONE 'UTC', 'YYYY-MM-DD')`),
  channel: sum('channel'),
};
