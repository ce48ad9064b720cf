/** One message to one recipient. Its status is changed by `operations/messages/record-statuses.ts` alone. */
import { type CreationOptional, DataTypes, type InferAttributes, type Sequelize } from 'sequelize';
import type { Channel } from '../channels.js';
import { Owned } from './owned.js';
import type { Status, StatusDetail } from '../rules/messages/status.js';
import type { Content } from '../rules/messages/message-content.js';

export class Message extends Owned<Message> {
  static override readonly resource = 'Message';
  declare group_id: string;
  declare batch_id: string | null;
  declare channel: Channel;
  declare to: string;
  declare content: Content;
  declare metadata: Record<string, unknown> | null;
  declare reference: string | null;
  declare idempotency_key: string | null;
  declare request_digest: Buffer | null;
  declare status: Status;
  declare status_detail: StatusDetail;
  /** Thousandths of a credit that acceptance debits. */
  declare cost: number;
  /** Thousandths of a credit that it cost in the end: 0 before acceptance and after a refund. */
  declare credits_used: CreationOptional<number>;
  declare segments: number | null;
  declare encoding: string | null;
  declare provider: string | null;
  declare provider_message_id: string | null;
  declare provider_error_code: string | null;
  declare error_code: string | null;
  declare error_message: string | null;
  declare scheduled_at: Date | null;
  declare expires_at: Date | null;
  declare created_at: CreationOptional<Date>;
  declare sent_at: Date | null;
  declare delivered_at: Date | null;
  declare failed_at: Date | null;
  declare read_at: Date | null;
  /** When what is personal in it was erased: `to` is a digest then, the content is empty. */
  declare erased_at: CreationOptional<Date | null>;
}

export type MessageRow = InferAttributes<Message>;
/** A message before it is decided: nothing was charged for it. */
export type NewMessage = Omit<MessageRow, 'credits_used' | 'erased_at'>;

/** What providers have said of a message that no provider has seen. */
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

export function initMessage(sequelize: Sequelize): void {
  Message.init(
    {
      id: { type: DataTypes.UUID, primaryKey: true },
      workspace_id: DataTypes.UUID,
      group_id: DataTypes.UUID,
      batch_id: DataTypes.UUID,
      channel: DataTypes.TEXT,
      to: DataTypes.TEXT,
      content: DataTypes.JSON,
      metadata: DataTypes.JSON,
      reference: DataTypes.TEXT,
      idempotency_key: DataTypes.TEXT,
      request_digest: DataTypes.BLOB,
      status: DataTypes.TEXT,
      status_detail: DataTypes.TEXT,
      cost: DataTypes.BIGINT,
      credits_used: DataTypes.BIGINT,
      segments: DataTypes.INTEGER,
      encoding: DataTypes.TEXT,
      provider: DataTypes.TEXT,
      provider_message_id: DataTypes.TEXT,
      provider_error_code: DataTypes.TEXT,
      error_code: DataTypes.TEXT,
      error_message: DataTypes.TEXT,
      scheduled_at: DataTypes.DATE,
      expires_at: DataTypes.DATE,
      created_at: DataTypes.DATE,
      sent_at: DataTypes.DATE,
      delivered_at: DataTypes.DATE,
      failed_at: DataTypes.DATE,
      read_at: DataTypes.DATE,
      erased_at: DataTypes.DATE,
    },
    { sequelize, tableName: 'messages' },
  );
}
