/** A bulk send. Its messages and money are changed by `operations/`. */
import { column, type Columns, nullable, type RowOf, withDefault } from './columns.js';
import type { Channel } from '../channels.js';
import type { RecipientError } from '../rules/bulk/recipient-error.js';
import { ownedOf } from './owned.js';

export const batchStatuses = ['scheduled', 'sending', 'paused', 'completed', 'cancelled'] as const;
/** As shown. */
export type BatchStatus = (typeof batchStatuses)[number];

export const batchColumns = {
  id: column.uuid(),
  workspace_id: column.uuid(),
  channel: column.text<Channel>(),
  /** As stored: `accepting` is never shown, `scheduled` follows from `scheduled_at`. */
  status: column.text<Exclude<BatchStatus, 'scheduled'> | 'accepting'>(),
  /** Recipients as given. */
  total: column.integer(),
  /** Recipients that are sent to. */
  accepted: column.integer(),
  invalid: column.integer(),
  errors: column.json<RecipientError[]>(),
  /** Thousandths of a credit: the one debit of the batch. */
  cost: column.bigint(),
  /** Messages a second; null: as fast as the provider takes them. */
  rate: nullable(column.double()),
  idempotency_key: nullable(column.text()),
  request_digest: nullable(column.bytes()),
  scheduled_at: nullable(column.timestamp()),
  created_at: withDefault(column.timestamp()),
  completed_at: withDefault(nullable(column.timestamp())),
} satisfies Columns;

export class Batch extends ownedOf(batchColumns) {
  static override readonly resource = 'Batch';
}

export type BatchRow = RowOf<typeof batchColumns>;
