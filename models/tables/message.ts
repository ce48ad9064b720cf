/** One message to one recipient. Only `operations/messages/record-statuses.ts` changes its status. */
import { column, type Columns, nullable, personal, type RowOf, withDefault, without } from './columns.js';
import type { Channel } from '../channels.js';
import { ownedOf } from './owned.js';
import type { Status, StatusDetail } from '../rules/messages/status.js';
import type { Content } from '../rules/messages/message-content.js';

/** `personal`: empty after an erasure. */
export const messageColumns = {
  id: column.uuid(),
  workspace_id: column.uuid(),
  group_id: column.uuid(),
  batch_id: nullable(column.uuid()),
  channel: column.text<Channel>(),
  to: personal(column.text()),
  content: personal(column.json<Content>()),
  metadata: personal(nullable(column.json<Record<string, unknown>>())),
  reference: personal(nullable(column.text())),
  idempotency_key: personal(nullable(column.text())),
  request_digest: personal(nullable(column.bytes())),
  status: column.text<Status>(),
  status_detail: column.text<StatusDetail>(),
  /** What acceptance debits, in thousandths of a credit. */
  cost: column.bigint(),
  /** What it costs in the end, in thousandths of a credit: 0 before acceptance and after a refund. */
  credits_used: withDefault(column.bigint()),
  segments: nullable(column.integer()),
  encoding: nullable(column.text()),
  provider: nullable(column.text()),
  provider_message_id: nullable(column.text()),
  provider_error_code: nullable(column.text()),
  error_code: nullable(column.text()),
  error_message: nullable(column.text()),
  scheduled_at: nullable(column.timestamp()),
  expires_at: nullable(column.timestamp()),
  created_at: withDefault(column.timestamp()),
  sent_at: nullable(column.timestamp()),
  delivered_at: nullable(column.timestamp()),
  failed_at: nullable(column.timestamp()),
  read_at: nullable(column.timestamp()),
  /** When its personal data were erased. Since then `to` is a digest and the content is empty. */
  erased_at: withDefault(nullable(column.timestamp())),
  /** The place in the trace of its client that its own trace continues. */
  traceparent: personal(nullable(column.text())),
} satisfies Columns;

export class Message extends ownedOf(messageColumns) {
  static override readonly resource = 'Message';
}

export type MessageRow = RowOf<typeof messageColumns>;
/** What a change of status reads: all columns except those that only acceptance needs, and the content, which may have 100 kB. */
export const statusColumns = without(messageColumns, 'content', 'idempotency_key', 'request_digest', 'traceparent');
export type StatusRow = RowOf<typeof statusColumns>;
/** An undecided message. Nothing was charged for it. */
export type NewMessage = Omit<MessageRow, 'credits_used' | 'erased_at'>;

/** The columns about providers of a message that was never handed off. */
export const unsent = {
  provider: null,
  provider_message_id: null,
  provider_error_code: null,
  error_code: null,
  error_message: null,
  sent_at: null,
  delivered_at: null,
  failed_at: null,
  read_at: null,
} as const satisfies Partial<NewMessage>;
