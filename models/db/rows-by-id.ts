import { lowestId } from '../rules/values/id-time.js';
import { type Database, select } from './database.js';

const pageSize = 500;

/**
 * All rows of a table in the order of their ids, read page by page.
 * @param nextPage SQL: the rows whose id is above $1, in the order of their ids, $2 of them at most
 */
export async function* rowsById<Row extends { id: string }>(db: Database, nextPage: string): AsyncGenerator<Row, void, undefined> {
  for (let after: string | undefined = lowestId; after !== undefined; ) {
    const rows: Row[] = await select<Row>(db, nextPage, [after, pageSize]);
    yield* rows;
    after = rows.length < pageSize ? undefined : rows.at(-1)?.id;
  }
}
