/** The ledger: every change of the balance. */
import { call, type Schema } from '../../api/call.js';
import { type Column, type Page, Table } from '../../parts/table.js';
import { Time } from '../../parts/time.js';
import { useLoad } from '../../state/load.js';

type Transaction = Schema<'Transaction'>;

const signed = new Intl.NumberFormat(undefined, { signDisplay: 'exceptZero', maximumFractionDigits: 6 });

const columns: readonly Column<Transaction>[] = [
  { title: 'Time', cell: ({ created_at }) => <Time at={created_at} /> },
  { title: 'Type', cell: ({ type }) => type, isMinor: true },
  { title: 'Description', cell: ({ description }) => description },
  { title: 'Amount', cell: ({ amount }) => signed.format(amount), isNumber: true },
  { title: 'Balance', cell: ({ balance_after: balance }) => balance.toLocaleString(), isNumber: true, isMinor: true },
  { title: 'Reference', cell: ({ reference }) => <code>{reference}</code>, isMinor: true },
];

export function Ledger({ cursor }: { cursor: string | undefined }) {
  const page = useLoad<Page<Transaction>>(cursor ?? '', async (signal) => {
    const { transactions, pagination } = await call('get', '/api/v1/billing/transactions', { query: { cursor, limit: 50 }, signal });
    return { rows: transactions, pagination };
  });
  return (
    <section aria-labelledby="ledger">
      <h2 id="ledger">Ledger</h2>
      <Table
        caption="Transactions"
        page={page}
        columns={columns}
        keyOf={({ id }) => id}
        empty={<p>No transactions yet. A send, a refund or a purchase is written here.</p>}
      />
    </section>
  );
}
