/** A bulk send. Its messages and money are changed by `operations/`. */
import { type CreationOptional, DataTypes, type InferAttributes, type Sequelize } from 'sequelize';
import type { Channel } from '../channels.js';
import type { RecipientError } from '../rules/bulk/recipient-error.js';
import { Owned } from './owned.js';

export const batchStatuses = ['scheduled', 'sending', 'paused', 'completed', 'cancelled'] as const;
/** As shown. */
export type BatchStatus = (typeof batchStatuses)[number];

export class Batch extends Owned<Batch> {
  static override readonly resource = 'Batch';
  declare channel: Channel;
  /** As stored: `accepting` is never shown, `scheduled` follows from `scheduled_at`. */
  declare status: Exclude<BatchStatus, 'scheduled'> | 'accepting';
  /** Recipients as given. */
  declare total: number;
  /** Recipients that are sent to. */
  declare accepted: number;
  declare invalid: number;
  declare errors: RecipientError[];
  /** Thousandths of a credit: the one debit of the batch. */
  declare cost: number;
  /** Messages a second; null: as fast as the provider takes them. */
  declare rate: number | null;
  declare idempotency_key: string | null;
  declare request_digest: Buffer | null;
  declare scheduled_at: Date | null;
  declare created_at: CreationOptional<Date>;
  declare completed_at: CreationOptional<Date | null>;
}

export type BatchRow = InferAttributes<Batch>;

export function initBatch(sequelize: Sequelize): void {
  Batch.init(
    {
      id: { type: DataTypes.UUID, primaryKey: true },
      workspace_id: DataTypes.UUID,
      channel: DataTypes.TEXT,
      status: DataTypes.TEXT,
      total: DataTypes.INTEGER,
      accepted: DataTypes.INTEGER,
      invalid: DataTypes.INTEGER,
      errors: DataTypes.JSON,
      cost: DataTypes.BIGINT,
      rate: DataTypes.DOUBLE,
      idempotency_key: DataTypes.TEXT,
      request_digest: DataTypes.BLOB,
      scheduled_at: DataTypes.DATE,
      created_at: DataTypes.DATE,
      completed_at: DataTypes.DATE,
    },
    { sequelize, tableName: 'batches' },
  );
}
