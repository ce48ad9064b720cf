/** The part of a list that a request reads, and how it is read. All lists are newest first. */

/** The sort key of a row as text, one part for each sort column. */
export type Place = readonly string[];

/** A page by its number, or the rows after a place. */
export type ListWindow = { limit: number } & ({ page: number } | { after: Place });

export interface Listed<Row> {
  rows: Row[];
  /** The number of rows in the whole list; null after a place, because it is not counted then. */
  total: number | null;
  /** The place of the last row; null if the list ends there. */
  next: Place | null;
}

/** The part of a list in SQL's terms. `after` is null for a page by its number, `offset` is 0 after a place. */
export interface Range {
  after: Place | null;
  limit: number;
  offset: number;
}

/** The number of rows in a list. */
export interface RowCount {
  total: number;
  /** Counted for this request. Otherwise rows may have been added or deleted since. */
  isFresh: boolean;
}

/** How the number of rows is found. `all` counts them. */
export type Counting = (all: () => Promise<number>) => Promise<RowCount>;

const countAnew: Counting = async (all) => ({ total: await all(), isFresh: true });

interface Reader<Row> {
  count(): Promise<number>;
  /** Default: `count` is called at each request. */
  counting?: Counting | undefined;
  /** @param total the number of rows, if it is known */
  find(range: Range, total: number | null): Promise<Row[]>;
  placeOf(row: Row): Place;
}

/**
 * Reads a part of a list. Cursor pagination returns every row that exists throughout exactly once, because a cursor is a sort key. A list that
 * ends on its first page is not counted.
 */
export async function readWindow<Row>(
  window: ListWindow,
  { count, counting = countAnew, find, placeOf }: Reader<Row>,
): Promise<Listed<Row>> {
  const page = 'page' in window ? window.page : null;
  const offset = page === null ? 0 : (page - 1) * window.limit;
  const counted = offset > 0 ? await counting(count) : null;
  if (counted?.isFresh && offset >= counted.total) return { rows: [], total: counted.total, next: null };
  // One row more than shown: it shows whether the list continues.
  const found = await find({ after: 'after' in window ? window.after : null, limit: window.limit + 1, offset }, counted?.total ?? null);
  const rows = found.slice(0, window.limit);
  const last = rows.at(-1);
  const goesOn = found.length > window.limit && last !== undefined;
  let total: number | null = null;
  if (page === 1) total = goesOn ? (await counting(count)).total : rows.length;
  // A client that goes up to the last page by number must not stop before the rows that were added since the count.
  else if (counted !== null) total = found.length === 0 ? counted.total : Math.max(counted.total, offset + found.length);
  return { rows, total, next: goesOn ? placeOf(last) : null };
}

/** The same part with each row converted. */
export const mapRows = <Row, Shown>({ rows, ...rest }: Listed<Row>, present: (row: Row) => Shown): Listed<Shown> => ({
  ...rest,
  rows: rows.map((row) => present(row)),
});

/** The forms of sort columns. `entry`: a number, or `-` for a row without one. */
const forms = {
  id: /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/,
  number: /^\d{1,15}$/,
  entry: /^(\d{1,15}|-)$/,
  /** Microseconds since 1970. */
  micros: /^\d{1,16}$/,
} as const;
export type SortColumn = keyof typeof forms;

/** Whether these texts are a place in a list with these sort columns. */
export const isPlace = (parts: readonly string[], sort: readonly SortColumn[]): boolean =>
  parts.length === sort.length && sort.every((column, index) => forms[column].test(parts[index] ?? ''));
