/** The ledger. Rows are only ever added, each once by its cause (`kind`, `reference`); writing is done in `operations/`. */
import { type Order } from 'sequelize';
import { column, type Columns, nullable, withDefault } from './columns.js';
import { ownedOf } from './owned.js';

export const entryKinds = ['purchase', 'debit', 'refund', 'grant', 'adjustment'] as const;
export type EntryKind = (typeof entryKinds)[number];

const creditEntryColumns = {
  id: column.uuid(),
  workspace_id: column.uuid(),
  /** Its place in the workspace's ledger, from 1, without gaps; null for those from before there were numbers. */
  number: nullable(column.bigint()),
  kind: column.text<EntryKind>(),
  /** Thousandths of a credit, negative for a debit. */
  amount: column.bigint(),
  balance_after: column.bigint(),
  /** What caused it: the id of a message, a batch, a payment. */
  reference: column.text(),
  description: column.text(),
  created_at: withDefault(column.timestamp()),
} satisfies Columns;

export class CreditEntry extends ownedOf(creditEntryColumns) {
  static override readonly newestFirst: Order = [
    ['number', 'DESC NULLS LAST'],
    ['id', 'DESC'],
  ];
}
