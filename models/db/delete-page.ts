import { type Database, select } from './database.js';

/** How many rows one statement changes. */
const page = 1_000;

/**
 * Runs each of these statements once, for a page of rows.
 * @param statements as `deletePage` makes them, or others with a limit of rows as `$1`
 * @returns the number of rows
 */
export async function forgetPages(db: Database, statements: readonly string[]): Promise<number> {
  let forgotten = 0;
  for (const sql of statements) forgotten += (await select(db, sql, [page])).length;
  return forgotten;
}

/**
 * SQL: deletes some rows for which a condition is true, `$1` at most, and returns one row for each.
 * @param key the columns of the primary key
 */
export const deletePage = (table: string, key: string, condition: string): string =>
  `DELETE FROM ${table} WHERE (${key}) IN (SELECT ${key} FROM ${table} WHERE ${condition} LIMIT $1) RETURNING 1`;
