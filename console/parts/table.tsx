/** Tables of lists that the API pages by cursor. */
import type { ComponentChildren, RefObject } from 'preact';
import { useLocation } from 'preact-iso';
import { useMemo, useRef } from 'preact/hooks';
import type { Schema } from '../api/call.js';
import { useFocusOnPage } from '../state/focus.js';
import type { Loaded } from '../state/load.js';
import { Resource } from './loaded.js';
import { numberText } from './count.js';

export interface Column<Row> {
  title: string;
  cell(row: Row): ComponentChildren;
  /** Hidden on narrow screens: another screen, or another part of this one, shows it. */
  isMinor?: boolean;
  isNumber?: boolean;
  /** Its values are short, and not broken on wide screens: words, times. */
  isShort?: boolean;
  /** On a touch screen a tap anywhere on the row follows its link. */
  isRowLink?: boolean;
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
  const place = useRef<HTMLDivElement>(null);
  useFocusOnPage(place, useLocation().query.cursor ?? '', page.data.value);
  return (
    <>
      <p class="visually-hidden" role="status">
        {useOutcome(page)}
      </p>
      <Resource of={page}>{(data) => <TablePage {...table} place={place} data={data} isBusy={page.isAwaited.value} />}</Resource>
    </>
  );
}

/** What screen readers hear of a read that the user waits for. Its problem is an alert already. Live changes are not announced. */
function useOutcome<Row>({ isAwaited, problem, data }: Loaded<Page<Row>>): string {
  const isFailed = problem.value !== null;
  return useMemo(() => {
    if (isAwaited.value) return 'Loading…';
    const page = data.peek();
    if (isFailed || page === undefined) return '';
    const { total } = page.pagination;
    return total === null ? `${numberText(page.rows.length)} on this page` : totalText(total);
  }, [isAwaited.value, isFailed]);
}

const totalText = (total: number) => `${numberText(total)} in total`;

interface PageProps<Row> extends Omit<Props<Row>, 'page'>, Pick<PlainProps<Row>, 'place'> {
  data: Page<Row>;
  isBusy: boolean;
}

function TablePage<Row>({ caption, columns, keyOf, empty, data, isBusy, place }: PageProps<Row>) {
  const { rows, pagination } = data;
  // The rows of an older page may have been deleted since it was linked to.
  const isOlder = (useLocation().query.cursor ?? '') !== '';
  return (
    <>
      {rows.length === 0 ? (
        <div class="empty">{isOlder ? <p>No row is left on this page.</p> : empty}</div>
      ) : (
        <PlainTable caption={caption} columns={columns} keyOf={keyOf} rows={rows} isBusy={isBusy} place={place} />
      )}
      <Pages pagination={pagination} />
    </>
  );
}

interface PlainProps<Row> extends Pick<Props<Row>, 'caption' | 'columns' | 'keyOf'> {
  rows: readonly Row[];
  isBusy?: boolean;
  place?: RefObject<HTMLDivElement | null> | undefined;
}

/**
 * A table without pages. On a phone each row is a block, with the titles of the columns beside the cells. A table that is wider than the screen
 * scrolls by itself, so it must be reachable by keyboard.
 */
export function PlainTable<Row>({ caption, columns, keyOf, rows, isBusy = false, place }: PlainProps<Row>) {
  const classOf = ({ isMinor, isNumber, isShort, isRowLink }: Column<Row>) =>
    Object.entries({ minor: isMinor, number: isNumber, short: isShort, 'row-link': isRowLink })
      .flatMap(([name, isSet]) => (isSet === true ? name : []))
      .join(' ');
  return (
    <div ref={place ?? null} class="table" role="region" aria-label={caption} tabIndex={0}>
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
            <tr key={keyOf(row)} onClick={followRow}>
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

/** A finger needs a larger target than a link. With a mouse, a click in a row may begin to select its text. */
function followRow({ target }: Event): void {
  const touched = target as Element;
  const isOwnTarget = touched.closest('a, button, details') !== null;
  if (isOwnTarget || !matchMedia('(pointer: coarse)').matches || getSelection()?.isCollapsed === false) return;
  touched.closest('tr')?.querySelector<HTMLElement>('.row-link a')?.click();
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
      {total !== null && <span>{totalText(total)}</span>}
      {hasCursor && <a href={at(null)}>Newest</a>}
      {next !== null && <a href={at(next)}>Older</a>}
    </nav>
  );
}

/** A text of a cell, of any length, in at most three lines. The whole text appears on hover. */
export const LongText = ({ text }: { text: string | null }) =>
  text && (
    <span class="long" title={text} dir="auto">
      {text}
    </span>
  );

/** A recipient. On wide screens a phone number is not broken in the middle; an e-mail address may be. */
export const Recipient = ({ of }: { of: string | null }) => <span class={of?.startsWith('+') ? 'whole' : ''}>{of ?? 'erased'}</span>;
