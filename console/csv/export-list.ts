/** Exports of whole lists: read page by page, in the browser. */
import type { Page } from '../parts/table.js';
import { patiently } from '../api/patiently.js';
import type { Cell } from './save-csv.js';

interface Export<Row> {
  /** Reads the page at this cursor; undefined: the first one. */
  read(cursor: string | undefined): Promise<Page<Row>>;
  cells(row: Row): readonly Cell[];
  /** Called after each page. `total` is null if the API does not count. */
  progress(done: number, total: number | null): void;
  signal: AbortSignal;
}

/**
 * Reads all pages. If the rate limit of the workspace is reached, it waits and continues.
 * @throws Problem as the API answers; AbortError after `signal`
 */
export async function exportList<Row>({ read, cells, progress, signal }: Export<Row>): Promise<(readonly Cell[])[]> {
  const lines: (readonly Cell[])[] = [];
  let total: number | null = null;
  let cursor: string | undefined;
  do {
    const page = await patiently(() => read(cursor), signal);
    for (const row of page.rows) lines.push(cells(row));
    // Only the first page has it.
    total ??= page.pagination.total;
    progress(lines.length, total);
    cursor = page.pagination.next_cursor ?? undefined;
  } while (cursor !== undefined);
  return lines;
}
