/** An order of credits: our own record of what was to be paid, against which every word of the payment provider is held. */
import { type CreationOptional, DataTypes, type InferAttributes, type Sequelize } from 'sequelize';
import { Owned } from './owned.js';

export type OrderStatus = 'opening' | 'open' | 'pending' | 'paid' | 'failed' | 'expired';

export class CreditOrder extends Owned<CreditOrder> {
  declare package_id: string;
  declare package_name: string;
  /** Thousandths of a credit. */
  declare credits: number;
  declare amount_cents: number;
  declare currency: string;
  declare idempotency_key: string | null;
  declare request_digest: Buffer | null;
  /** `opening` until the provider's session is stored. */
  declare status: OrderStatus;
  /** While `opening`: until then one request has the sole right to ask the provider. */
  declare leased_until: Date;
  declare session_id: CreationOptional<string | null>;
  declare checkout_url: CreationOptional<string | null>;
  /** Set when paid. */
  declare payment_id: CreationOptional<string | null>;
  /** Thousandths of a credit that refunds and disputes have taken back, or put into debt. */
  declare reversed: CreationOptional<number>;
  declare created_at: CreationOptional<Date>;
  declare paid_at: CreationOptional<Date | null>;
}

export type OrderRow = InferAttributes<CreditOrder>;

export function initCreditOrder(sequelize: Sequelize): void {
  CreditOrder.init(
    {
      id: { type: DataTypes.UUID, primaryKey: true },
      workspace_id: DataTypes.UUID,
      package_id: DataTypes.UUID,
      package_name: DataTypes.TEXT,
      credits: DataTypes.BIGINT,
      amount_cents: DataTypes.BIGINT,
      currency: DataTypes.TEXT,
      idempotency_key: DataTypes.TEXT,
      request_digest: DataTypes.BLOB,
      status: DataTypes.TEXT,
      leased_until: DataTypes.DATE,
      session_id: DataTypes.TEXT,
      checkout_url: DataTypes.TEXT,
      payment_id: DataTypes.TEXT,
      reversed: DataTypes.BIGINT,
      created_at: DataTypes.DATE,
      paid_at: DataTypes.DATE,
    },
    { sequelize, tableName: 'credit_orders' },
  );
}
