import { lowestId } from '../rules/values/id-time.js';
import { type Database, select } from './database.js';
import { inPages } from './in-pages.js';

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
  for await (const row of inPages<Row>(pageSize, (last) => select(db, nextPage, [last?.id ?? lowestId, pageSize]))) {
    const changed = await reencrypt(row);
    done.checked += 1;
    if (changed === 'unreadable') done.unreadable.push(row.id);
    else if (changed) done.reencrypted += 1;
  }
  return done;
}
