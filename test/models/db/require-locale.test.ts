import assert from 'node:assert/strict';
import { connect, type Database } from '../../../models/db/database.js';
import { faultOfLocale } from '../../../models/db/require-locale.js';
import { migrate } from '../../../models/migrate.js';
import { rows } from '../../support/database.js';
import { useDatabase } from '../../support/for-each.js';

const turkish = `ENCODING 'UTF8' LOCALE_PROVIDER icu ICU_LOCALE 'tr' LOCALE 'C'`;

describe('the locale of a database', function () {
  const test = useDatabase();

  /** Runs the work on a new database with this locale. */
  async function withDatabase(locale: string, work: (db: Database) => Promise<void>): Promise<void> {
    const { pathname } = new URL(test.url);
    const name = `${pathname.slice(1)}_locale`;
    await rows(test.db, `CREATE DATABASE ${name} TEMPLATE template0 ${locale}`);
    const db = connect(test.url.replace(pathname, `/${name}`), 2);
    try {
      await work(db);
    } finally {
      await db.close();
      await rows(test.db, `DROP DATABASE ${name} WITH (FORCE)`);
    }
  }

  it('a new database in which addresses in capital letters would not be recognized is refused with what to do', async () => {
    await withDatabase(turkish, async (db) => {
      await assert.rejects(migrate(db), /cannot be used: .* makes "ı" of "I" in lower case: .*CREATE DATABASE .* LOCALE 'C.UTF-8'$/);
      assert.deepEqual(await rows(db, `SELECT to_regclass('schema_migrations') AS migrations`), [{ migrations: null }]);
    });
  });

  it('a new database that cannot store all letters is refused before its first migration', async () => {
    await withDatabase(`ENCODING 'LATIN1' LOCALE_PROVIDER libc LOCALE 'C'`, async (db) => {
      await assert.rejects(migrate(db), /the encoding of the database is LATIN1: it must be UTF8/);
    });
  });

  it('a database with tables gets its migrations whatever its locale', async () => {
    await withDatabase(turkish, async (db) => {
      await rows(db, 'CREATE TABLE schema_migrations (name text PRIMARY KEY, applied_at timestamptz NOT NULL DEFAULT now())');
      assert.ok((await migrate(db)).length > 70);
      assert.match((await faultOfLocale(db)) ?? '', /makes "ı" of "I"/);
    });
    assert.equal(await faultOfLocale(test.db), null);
  });
});
