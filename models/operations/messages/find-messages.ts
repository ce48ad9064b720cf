/** For operators: messages of any workspace. Each combination of filters reads by an index, and reads a part of the table only. */
import { type Database, select } from '../../db/database.js';
import { highestId, idAfter, idBefore, lowestId } from '../../rules/values/id-time.js';
import type { MessageRow } from '../../tables/message.js';
import { recipientConditions } from '../../rules/messages/recipient.js';

/** What operators see of a message: neither its text nor the data of its client. */
export const foundColumns = [
  'id',
  'workspace_id',
  'batch_id',
  'channel',
  'to',
  'status',
  'status_detail',
  'error_code',
  'error_message',
  'provider',
  'provider_message_id',
  'provider_error_code',
  'cost',
  'credits_used',
  'created_at',
  'scheduled_at',
  'sent_at',
  'delivered_at',
  'read_at',
  'failed_at',
  'expires_at',
  'erased_at',
] as const satisfies readonly (keyof MessageRow)[];

export type FoundMessage = Pick<MessageRow, (typeof foundColumns)[number]>;

/** At least one of the first three. `error` alone needs `since`, because no index names it. */
export interface MessageFilter {
  to?: string | undefined;
  workspaceId?: string | undefined;
  /** A code of Tidings or of a carrier. */
  error?: string | undefined;
  since?: Date | undefined;
  /** Messages that were created at this time or later are left out. */
  until?: Date | undefined;
}

/** The newest messages that match. @returns at most `limit`, and whether there are more */
export async function findMessages(
  db: Database,
  filter: MessageFilter,
  limit: number,
): Promise<{ messages: FoundMessage[]; hasMore: boolean }> {
  const { sql, bind } = messagesQuery(filter, limit + 1);
  const rows = await select<FoundMessage>(db, sql, bind);
  return { messages: rows.slice(0, limit), hasMore: rows.length > limit };
}

/** The statement of `findMessages`; a test looks at its plan. */
export function messagesQuery({ to, workspaceId, error, since, until }: MessageFilter, limit: number): { sql: string; bind: unknown[] } {
  const bind: unknown[] = [];
  const bound = (value: unknown) => `$${bind.push(value)}`;
  const conditions = [
    ...(workspaceId === undefined ? [] : [`workspace_id = ${bound(workspaceId)}::uuid`]),
    ...(error === undefined ? [] : [failedWith(bound(error))]),
    ...(since === undefined && until === undefined
      ? []
      : [`id BETWEEN ${bound(since ? idBefore(since) : lowestId)}::uuid AND ${bound(until ? idAfter(until) : highestId)}::uuid`]),
    ...(since === undefined ? [] : [`created_at >= ${bound(since)}`]),
    ...(until === undefined ? [] : [`created_at < ${bound(until)}`]),
  ].join(' AND ');
  const newest = `ORDER BY id DESC LIMIT ${bound(limit)}::integer`;
  if (to === undefined) return { sql: `SELECT ${columns} FROM messages WHERE ${conditions} ${newest}`, bind };
  // Materialized: for a frequent recipient, the planner would otherwise look for the newest one in the whole table.
  const recipient = bound(to);
  const arms = recipientsOf(to, recipient).map(
    (arm) => `SELECT ${columns} FROM messages WHERE ${[arm, conditions].filter(Boolean).join(' AND ')}`,
  );
  return { sql: `WITH found AS MATERIALIZED (${arms.join(' UNION ALL ')}) SELECT * FROM found ${newest}`, bind };
}

const columns = foundColumns.map((name) => `"${name}"`).join(', ');

const failedWith = (code: string) => `failed_at IS NOT NULL AND (error_code = ${code} OR provider_error_code = ${code})`;

/** SQL: conditions, each with an index. */
const recipientsOf = (to: string, parameter: string): string[] =>
  to.includes('@') ? recipientConditions(`lower(${parameter}::text)`) : [`"to" = ${parameter}`];
