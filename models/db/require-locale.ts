/** What the program needs of the encoding and the locale of the database. */
import { type Database, selectOne } from './database.js';

const capitals = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ';

/** What creates a database that has both. */
export const createWithLocale = "CREATE DATABASE … TEMPLATE template0 ENCODING 'UTF8' LOCALE_PROVIDER libc LOCALE 'C.UTF-8'";

/**
 * Why the program cannot use the database; null if it can. Addresses are compared in lower case, which the program and PostgreSQL both make. In
 * Turkish it has `ı` for `I`: a mail to INFO@… would be sent although info@… is suppressed.
 */
export async function faultOfLocale(db: Database): Promise<string | null> {
  const { encoding, letters } = await selectOne<{ encoding: string; letters: string }>(db, readLocale);
  if (encoding !== 'UTF8') return `the encoding of the database is ${encoding}: it must be UTF8`;
  const made = [...letters];
  const wrong = [...capitals].find((capital, index) => made[index] !== capital.toLowerCase());
  if (wrong === undefined) return null;
  const place = capitals.indexOf(wrong);
  return `the locale of the database makes "${made[place]}" of "${wrong}" in lower case: e-mail addresses would not be recognized in capital letters`;
}

const readLocale = `SELECT current_setting('server_encoding') AS encoding, lower('${capitals}') AS letters`;

/**
 * Makes sure that the program can use a new database. One that has tables already must be dumped and restored, see `npm run doctor`; until then it
 * gets its migrations.
 * @throws Error with the statement that creates a usable one
 */
export async function requireLocaleIfNew(db: Database): Promise<void> {
  const sql = `SELECT to_regclass('schema_migrations') IS NULL AS is_new`;
  if (!(await selectOne<{ is_new: boolean }>(db, sql)).is_new) return;
  const fault = await faultOfLocale(db);
  if (fault !== null) throw new Error(`This database cannot be used: ${fault}. Create another one: ${createWithLocale}`);
}
