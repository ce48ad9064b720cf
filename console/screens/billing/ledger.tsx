/** The ledger: every change of the balance. */
import { useLocation } from 'preact-iso';
import { call, type Schema } from '../../api/call.js';
import type { Cell } from '../../csv/save-csv.js';
import { numberText } from '../../parts/count.js';
import { ExportButton } from '../../parts/export-button.js';
import { RefreshButton } from '../../parts/loaded.js';
import { type Column, type Page, Table } from '../../parts/table.js';
import { Time } from '../../parts/time.js';
import { useLoad } from '../../state/load.js';
import { refreshSoon } from '../../state/session.js';

type Transaction = Schema<'Transaction'>;

const signed = new Intl.NumberFormat('en', { signDisplay: 'exceptZero', maximumFractionDigits: 6 });

const columns: readonly Column<Transaction>[] = [
  { title: 'Time', cell: ({ created_at }) => <Time at={created_at} />, isShort: true },
  { title: 'Type', cell: ({ type }) => type, isShort: true },
  { title: 'Description', cell: ({ description }) => description },
  { title: 'Amount', cell: ({ amount }) => signed.format(amount), isNumber: true },
  { title: 'Balance', cell: ({ balance_after: balance }) => numberText(balance), isNumber: true },
  { title: 'Reference', cell: ({ reference }) => <code>{reference}</code> },
];

const header = ['created_at', 'type', 'description', 'amount', 'balance_after', 'reference', 'id'] as const;

const cells = (entry: Transaction): Cell[] => header.map((name) => entry[name]);

async function read(cursor: string | undefined, limit: number, signal: AbortSignal): Promise<Page<Transaction>> {
  const { transactions, pagination } = await call('get', '/api/v1/billing/transactions', { query: { cursor, limit }, signal });
  return { rows: transactions, pagination };
}

export function Ledger() {
  const { cursor } = useLocation().query;
  const page = useLoad<Page<Transaction>>(cursor ?? '', (signal) => read(cursor, 50, signal));
  // A purchase is booked when the payment provider reports it, which may be after the user is back.
  const refresh = () => {
    page.reload();
    refreshSoon();
  };
  return (
    <section aria-labelledby="ledger">
      <div class="heading">
        <h2 id="ledger">Ledger</h2>
        <RefreshButton of={page} refresh={refresh} />
      </div>
      <Table
        caption="Transactions"
        page={page}
        columns={columns}
        keyOf={({ id }) => id}
        empty={<p>No transactions yet. A send, a refund or a purchase is written here.</p>}
      />
      <ExportButton of={page} name="ledger" header={header} cells={cells} read={(at, signal) => read(at, 100, signal)} />
    </section>
  );
}
