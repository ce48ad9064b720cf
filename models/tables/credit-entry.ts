/** The ledger. Rows are only ever added, each once by its cause (`kind`, `reference`); writing is done in `operations/`. */
import { type CreationOptional, DataTypes, type Order, type Sequelize } from 'sequelize';
import { Owned } from './owned.js';

export const entryKinds = ['purchase', 'debit', 'refund', 'grant', 'adjustment'] as const;
export type EntryKind = (typeof entryKinds)[number];

export class CreditEntry extends Owned<CreditEntry> {
  static override readonly newestFirst: Order = [
    ['number', 'DESC NULLS LAST'],
    ['id', 'DESC'],
  ];
  /** Its place in the workspace's ledger, from 1, without gaps; null for those from before there were numbers. */
  declare number: number | null;
  declare kind: EntryKind;
  /** Thousandths of a credit, negative for a debit. */
  declare amount: number;
  declare balance_after: number;
  /** What caused it: the id of a message, a batch, a payment. */
  declare reference: string;
  declare description: string;
  declare created_at: CreationOptional<Date>;
}

export function initCreditEntry(sequelize: Sequelize): void {
  CreditEntry.init(
    {
      id: { type: DataTypes.UUID, primaryKey: true },
      workspace_id: DataTypes.UUID,
      number: DataTypes.BIGINT,
      kind: DataTypes.TEXT,
      amount: DataTypes.BIGINT,
      balance_after: DataTypes.BIGINT,
      reference: DataTypes.TEXT,
      description: DataTypes.TEXT,
      created_at: DataTypes.DATE,
    },
    { sequelize, tableName: 'credit_entries' },
  );
}
