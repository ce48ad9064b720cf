/** The ledger. Rows are only added, each once for its cause (`kind`, `reference`). Only `operations/billing` writes them. */
import { Op, type Order } from 'sequelize';
import { column, type Columns, nullable, withDefault } from './columns.js';
import { type Listed, type ListWindow, type Place, type Range, readWindow, type SortColumn } from '../rules/values/list-window.js';
import { ownedOf } from './owned.js';
import { Workspace } from './workspace.js';

export const entryKinds = ['purchase', 'debit', 'refund', 'grant', 'adjustment'] as const;
export type EntryKind = (typeof entryKinds)[number];

export const creditEntryColumns = {
  id: column.uuid(),
  workspace_id: column.uuid(),
  /** Its number in the workspace's ledger, from 1, without gaps; null for entries that are older than the numbering. */
  number: nullable(column.bigint()),
  kind: column.text<EntryKind>(),
  /** Thousandths of a credit, negative for a debit. */
  amount: column.bigint(),
  balance_after: column.bigint(),
  /**
   * The cause of the entry: the id of a message, a batch, an order, a workspace (credits of its sign-up) or an event of the payment provider; or one of
   * these prefixes and an id: `cancel:` (of a batch), `operator:`, `debt:`, `correction:`.
   */
  reference: column.text(),
  description: column.text(),
  created_at: withDefault(column.timestamp()),
} satisfies Columns;

export class CreditEntry extends ownedOf(creditEntryColumns) {
  /** A part of a workspace's ledger, newest first. */
  static pageOf(workspaceId: string, window: ListWindow): Promise<Listed<CreditEntry>> {
    return readWindow<CreditEntry>(window, {
      count: () => countOf(workspaceId),
      find: ({ after, ...range }) => (after === null ? entriesOf(workspaceId, {}, range) : entriesAfter(workspaceId, after, range)),
      placeOf: ({ number, id }) => [number === null ? unnumbered : String(number), id],
    });
  }
}

/** The number of the newest entry is stored in the workspace's row, so only entries without a number are counted. */
async function countOf(workspaceId: string): Promise<number> {
  const { entry_count } = await Workspace.findByPk(workspaceId, { attributes: ['entry_count'], rejectOnEmpty: true });
  return entry_count + (await CreditEntry.count({ where: { workspace_id: workspaceId, number: null } }));
}

/** The sort columns of `CreditEntry.ledger`. */
export const ledgerSort: readonly SortColumn[] = ['entry', 'id'];
const unnumbered = '-';
const newestFirst: Order = [
  ['number', 'DESC NULLS LAST'],
  ['id', 'DESC'],
];

const entriesOf = (workspaceId: string, where: object, range: Omit<Range, 'after'>) =>
  CreditEntry.findAll({ where: { ...where, workspace_id: workspaceId }, order: newestFirst, ...range });

/** Two statements read the entries with and without number, because the index serves each of them but not a condition for both. */
async function entriesAfter(workspaceId: string, [number = unnumbered, id]: Place, range: Omit<Range, 'after'>): Promise<CreditEntry[]> {
  if (number === unnumbered) return entriesOf(workspaceId, { number: null, id: { [Op.lt]: id } }, range);
  const numbered = await entriesOf(workspaceId, { number: { [Op.lt]: number } }, range);
  const missing = range.limit - numbered.length;
  return missing === 0 ? numbered : [...numbered, ...(await entriesOf(workspaceId, { number: null }, { ...range, limit: missing }))];
}
