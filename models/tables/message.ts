/** One message to one recipient. The writers of its status are named in `operations/messages/record-statuses.ts`. */
import {
  column,
  type Columns,
  type GivenOf,
  nullable,
  nullsOf,
  omissibleIn,
  personal,
  type RowOf,
  withDefault,
  without,
} from './columns.js';
import type { Channel } from '../channels.js';
import { notFound } from '../errors.js';
import { ownedOf } from './owned.js';
import type { Status, StatusDetail } from '../rules/messages/status.js';
import type { Content } from '../rules/messages/content.js';

/**
 * What the client says about a message beside its recipient and content. Single and bulk sends have these fields, and so does each message of
 * a chain: those of the message before it.
 */
const clientColumns = {
  metadata: personal(nullable(column.json<Record<string, unknown>>())),
  reference: personal(nullable(column.text())),
} satisfies Columns;

/**
 * `personal`: empty after an erasure. `withDefault`: not known before acceptance; null in a new message, if it can be null.
 */
export const messageColumns = {
  id: column.uuid(),
  workspace_id: column.uuid(),
  group_id: column.uuid(),
  batch_id: nullable(column.uuid()),
  channel: column.text<Channel>(),
  to: personal(column.text()),
  content: personal(column.json<Content>()),
  ...clientColumns,
  idempotency_key: personal(nullable(column.text())),
  request_digest: personal(nullable(column.bytes())),
  status: column.text<Status>(),
  status_detail: column.text<StatusDetail>(),
  /**
   * What acceptance debits, in thousandths of a credit, and what it took over from the charge of an earlier message of its chain, see
   * `take-over-charges.ts`.
   */
  cost: column.bigint(),
  /** What it costs in the end, in thousandths of a credit: 0 before acceptance and after a refund. */
  credits_used: withDefault(column.bigint()),
  segments: nullable(column.integer()),
  encoding: nullable(column.text()),
  provider: withDefault(nullable(column.text())),
  provider_message_id: withDefault(nullable(column.text())),
  provider_error_code: withDefault(nullable(column.text())),
  error_code: withDefault(nullable(column.text())),
  error_message: withDefault(nullable(column.text())),
  scheduled_at: nullable(column.timestamp()),
  expires_at: nullable(column.timestamp()),
  created_at: column.timestamp(),
  sent_at: withDefault(nullable(column.timestamp())),
  delivered_at: withDefault(nullable(column.timestamp())),
  failed_at: withDefault(nullable(column.timestamp())),
  read_at: withDefault(nullable(column.timestamp())),
  /** When its personal data were erased. Since then `to` is a digest and the content is empty. */
  erased_at: withDefault(nullable(column.timestamp())),
  /** The place in the trace of its client that its own trace continues. */
  traceparent: personal(nullable(column.text())),
} satisfies Columns;

export class Message extends ownedOf(messageColumns) {
  static override readonly resource = 'Message';

  /** A message of this workspace. @throws AppError not_found as `owned` does, and for an undecided message */
  static async decided(workspaceId: string, id: string): Promise<Message> {
    const message = await Message.owned(workspaceId, id);
    if (message.status === 'accepting') throw notFound('Message');
    return message;
  }
}

export type MessageRow = RowOf<typeof messageColumns>;
/** What a change of status reads: all columns except those that only acceptance needs, and the content, which may have 100 kB. */
export const statusColumns = without(messageColumns, 'content', 'idempotency_key', 'request_digest', 'traceparent');
export type StatusRow = RowOf<typeof statusColumns>;
/** An undecided message. Nothing was charged for it. */
export type NewMessage = RowOf<GivenOf<typeof messageColumns>>;

/** What its hand-off and its reports fill in: null until then. */
export const unsent = nullsOf(without(omissibleIn(messageColumns), 'credits_used', 'erased_at'));

export type ClientFields = RowOf<typeof clientColumns>;
/** The same fields in a request. */
export type RequestFields = { [Name in keyof ClientFields]?: NonNullable<ClientFields[Name]> };

const clientNames = Object.keys(clientColumns) as (keyof ClientFields)[];

/** What a request or another message says about a message, for a new row. */
export const clientFieldsOf = (source: RequestFields | ClientFields): ClientFields =>
  Object.fromEntries(clientNames.map((name) => [name, source[name] ?? null])) as ClientFields;
