/** Tables of rows that the page already has. Only one part of them is drawn, so that ten thousand rows stay smooth. */
import { useSignal } from '@preact/signals';
import { type Column, PlainTable } from './table.js';
import { numberText } from './count.js';

const rowsDrawn = 50;

interface Props<Row> {
  caption: string;
  rows: readonly Row[];
  columns: readonly Column<Row>[];
  keyOf(row: Row): string;
}

/** Give it another `key` when other rows are shown: it begins at the first page then. */
export function PagedTable<Row>({ rows, caption, ...table }: Props<Row>) {
  const first = useSignal(0);
  const from = first.value;
  const to = Math.min(from + rowsDrawn, rows.length);
  return (
    <>
      <PlainTable {...table} caption={caption} rows={rows.slice(from, to)} />
      {rows.length > rowsDrawn && (
        <nav class="pages" aria-label={`Pages of ${caption}`}>
          <span role="status">{`${numberText(from + 1)} to ${numberText(to)} of ${numberText(rows.length)}`}</span>
          <button type="button" aria-disabled={from === 0} onClick={() => (first.value = Math.max(0, from - rowsDrawn))}>
            Previous
          </button>
          <button type="button" aria-disabled={to === rows.length} onClick={() => to < rows.length && (first.value = to)}>
            Next
          </button>
        </nav>
      )}
    </>
  );
}
