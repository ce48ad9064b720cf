/**
 * Rows in pages, with one page in memory at a time. The next page is read when the one before is used up, so that no transaction stays open while the
 * rows are used slowly.
 * @param read the rows after this one, `size` at most; undefined: from the beginning
 */
export async function* inPages<Row>(size: number, read: (last: Row | undefined) => Promise<Row[]>): AsyncGenerator<Row, void, undefined> {
  for (let last: Row | undefined; ; ) {
    const rows = await read(last);
    yield* rows;
    if (rows.length < size) return;
    last = rows.at(-1);
  }
}
