import { lowestId } from '../rules/values/id-time.js';
import { type Database, select } from './database.js';

const pageSize = 500;

/**
 * Re-encrypts the rows of a table, page by page in the order of their ids.
 * @param nextPage SQL: the rows whose id is above $1, in the order of their ids, $2 of them at most
 * @param reencrypt returns whether it changed the row
 * @returns how many rows it checked and changed, and the ids of those that no key decrypts
 */
export async function reencryptRows<Row extends { id: string }>(
  db: Database,
  nextPage: string,
  reencrypt: (row: Row) => Promise<boolean | 'unreadable'>,
): Promise<{ checked: number; reencrypted: number; unreadable: string[] }> {
  const done = { checked: 0, reencrypted: 0, unreadable: [] as string[] };
  for (let after: string | undefined = lowestId; after !== undefined; ) {
    const rows: Row[] = await select<Row>(db, nextPage, [after, pageSize]);
    for (const row of rows) {
      const changed = await reencrypt(row);
      if (changed === 'unreadable') done.unreadable.push(row.id);
      else if (changed) done.reencrypted += 1;
    }
    done.checked += rows.length;
    after = rows.length < pageSize ? undefined : rows.at(-1)?.id;
  }
  return done;
}
