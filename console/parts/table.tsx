/** Tables of lists that the API pages by cursor. */
import type { ComponentChildren } from 'preact';
import { useLocation } from 'preact-iso';
import type { Schema } from '../api/call.js';
import type { Loaded } from '../state/load.js';
import { Resource } from './loaded.js';
import { numberText } from './count.js';

export interface Column<Row> {
  title: string;
  cell(row: Row): ComponentChildren;
  /** Hidden on narrow screens: another screen, or another part of this one, shows it. */
  isMinor?: boolean;
  isNumber?: boolean;
}

export interface Page<Row> {
  rows: readonly Row[];
  pagination: Schema<'Pagination'>;
}

interface Props<Row> {
  /** What the table shows, for screen readers. */
  caption: string;
  page: Loaded<Page<Row>>;
  columns: readonly Column<Row>[];
  keyOf(row: Row): string;
  /** What is shown instead of an empty first page. */
  empty: ComponentChildren;
}

/** The table, with the links to its other pages. Their addresses have the cursor, so that the back button works. */
export function Table<Row>({ page, ...table }: Props<Row>) {
  return <Resource of={page}>{(data) => <TablePage {...table} data={data} isBusy={page.isAwaited.value} />}</Resource>;
}

function TablePage<Row>({ caption, columns, keyOf, empty, data, isBusy }: Omit<Props<Row>, 'page'> & { data: Page<Row>; isBusy: boolean }) {
  const { rows, pagination } = data;
  // The rows of an older page may have been deleted since it was linked to.
  const isOlder = (useLocation().query.cursor ?? '') !== '';
  return (
    <>
      {rows.length === 0 ? (
        <div class="empty">{isOlder ? <p>No row is left on this page.</p> : empty}</div>
      ) : (
        <PlainTable caption={caption} columns={columns} keyOf={keyOf} rows={rows} isBusy={isBusy} />
      )}
      <Pages pagination={pagination} />
    </>
  );
}

interface PlainProps<Row> extends Pick<Props<Row>, 'caption' | 'columns' | 'keyOf'> {
  rows: readonly Row[];
  isBusy?: boolean;
}

/**
 * A table without pages. On a phone each row is a block, with the titles of the columns beside the cells. A table that is wider than the screen
 * scrolls by itself, so it must be reachable by keyboard.
 */
export function PlainTable<Row>({ caption, columns, keyOf, rows, isBusy = false }: PlainProps<Row>) {
  const classOf = ({ isMinor, isNumber }: Column<Row>) =>
    [isMinor === true && 'minor', isNumber === true && 'number'].filter(Boolean).join(' ');
  return (
    <div class="table" role="region" aria-label={caption} tabIndex={0}>
      <table aria-busy={isBusy}>
        <thead>
          <tr>
            {columns.map((column) => (
              <th key={column.title} scope="col" class={classOf(column)}>
                {column.title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={keyOf(row)}>
              {columns.map((column) => (
                <td key={column.title} data-title={column.title} class={classOf(column)}>
                  {column.cell(row)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Pages({ pagination: { total, next_cursor: next } }: { pagination: Schema<'Pagination'> }) {
  const { path, query } = useLocation();
  const hasCursor = (query.cursor ?? '') !== '';
  const at = (cursor: string | null) => {
    const { cursor: _, ...others } = query;
    return `${path}?${new URLSearchParams({ ...others, ...(cursor === null ? {} : { cursor }) }).toString()}`;
  };
  return (
    <nav class="pages" aria-label="Pages">
      {total !== null && <span>{`${numberText(total)} in total`}</span>}
      {hasCursor && <a href={at(null)}>Newest</a>}
      {next !== null && <a href={at(next)}>Older</a>}
    </nav>
  );
}
