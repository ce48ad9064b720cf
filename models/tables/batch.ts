/** A bulk send. Operations change its messages and its credits. */
import { column, type Columns, nullable, type RowOf, withDefault, without } from './columns.js';
import type { Channel } from '../channels.js';
import type { RecipientError } from '../rules/bulk/bulk.js';
import { ownedOf } from './owned.js';

export const batchStatuses = ['scheduled', 'sending', 'paused', 'completed', 'cancelled'] as const;
/** The statuses that the API shows. */
export type BatchStatus = (typeof batchStatuses)[number];

export const batchColumns = {
  id: column.uuid(),
  workspace_id: column.uuid(),
  channel: column.text<Channel>(),
  /** As stored: `accepting` is not shown by the API, `scheduled` follows from `scheduled_at`. */
  status: column.text<Exclude<BatchStatus, 'scheduled'> | 'accepting'>(),
  /** The number of recipients in the request. */
  total: column.integer(),
  /** The number of recipients to which messages are sent. */
  accepted: column.integer(),
  invalid: column.integer(),
  errors: column.json<RecipientError[]>(),
  /** The one debit of the batch, in thousandths of a credit. */
  cost: column.bigint(),
  /** Messages per second; null: as fast as the provider accepts them. */
  rate: nullable(column.double()),
  idempotency_key: nullable(column.text()),
  request_digest: nullable(column.bytes()),
  scheduled_at: nullable(column.timestamp()),
  created_at: withDefault(column.timestamp()),
  completed_at: withDefault(nullable(column.timestamp())),
} satisfies Columns;

export class Batch extends ownedOf(batchColumns) {
  static override readonly resource = 'Batch';

  /** Reads again what changes after the acceptance, and not the errors, which may have two megabytes. */
  refresh(): Promise<this> {
    return this.reload({ attributes: ['status', 'completed_at'] });
  }
}

export type BatchRow = RowOf<typeof batchColumns>;

/** A batch without `errors`, which may have two megabytes. */
export type BriefBatch = Omit<BatchRow, 'errors'>;
/** The columns of a `BriefBatch`. */
export const briefBatchColumns: (keyof BriefBatch)[] = Object.keys(without(batchColumns, 'errors')) as (keyof BriefBatch)[];
