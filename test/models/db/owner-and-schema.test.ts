import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { openPool, select } from '../../../models/db/database.js';
import { migrateWith } from '../../../models/migrate.js';
import { createLogger } from '../../../models/process/logger.js';
import { requireSchema } from '../../../models/startup/require-schema.js';
import { freshDatabase, rows, type TestDatabase } from '../../support/database.js';
import { asProgram } from '../../support/servers.js';

/** Roles belong to the whole server, which other test files use too. */
const nameOfOwn = () => `owner_${randomUUID().replaceAll('-', '')}`;

describe('the migration as a role that owns the tables, in a schema of its own', () => {
  let test: TestDatabase;
  let program: string;
  let urls: { migrateDatabaseUrl: string; databaseUrl: string };
  beforeEach(async () => {
    test = await freshDatabase(2);
    const databaseUrl = asProgram(test.url);
    program = new URL(databaseUrl).username;
    urls = { migrateDatabaseUrl: test.url, databaseUrl };
    await rows(test.db, `REVOKE ALL ON ALL TABLES IN SCHEMA public FROM ${program}`);
    await rows(test.db, `REVOKE ALL ON ALL SEQUENCES IN SCHEMA public FROM ${program}`);
    await rows(test.db, `REVOKE ALL ON SCHEMA public FROM ${program}`);
  });
  afterEach(() => test.drop());

  const useSchema = (name: string) =>
    rows(test.db, `DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET search_path = ${name}', current_database()); END $$`);

  /** @returns the URL of a role without special rights, which owns the tables and their schema */
  async function giveToOwner(): Promise<string> {
    const owner = nameOfOwn();
    await rows(test.db, `CREATE ROLE ${owner} LOGIN PASSWORD '${owner}'`);
    await rows(test.db, `ALTER SCHEMA public OWNER TO ${owner}`);
    const give = `DO $$ DECLARE name regclass; BEGIN
      FOR name IN SELECT oid FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind = 'r' LOOP
        EXECUTE format('ALTER TABLE %s OWNER TO ${owner}', name);
      END LOOP;
      ALTER SEQUENCE events_seq OWNER TO ${owner};
      ALTER SEQUENCE deliveries_seq OWNER TO ${owner};
    END $$`;
    await rows(test.db, give);
    return Object.assign(new URL(test.url), { username: owner, password: owner }).href;
  }

  it('the role of the program gets its rights, and none on tables and views of other roles in the same schema', async () => {
    const migrateDatabaseUrl = await giveToOwner();
    await rows(test.db, 'CREATE TABLE of_another (id int)');
    await rows(test.db, 'CREATE VIEW view_of_another AS SELECT 1 AS one');
    await rows(test.db, 'CREATE SEQUENCE sequence_of_another');
    assert.deepEqual(await migrateWith({ ...urls, migrateDatabaseUrl }), []);
    const sql = `SELECT has_table_privilege($1, 'messages', 'UPDATE') AS messages, has_sequence_privilege($1, 'events_seq', 'USAGE') AS events,
      has_table_privilege($1, 'of_another', 'SELECT') AS one, has_table_privilege($1, 'view_of_another', 'SELECT') AS two,
      has_sequence_privilege($1, 'sequence_of_another', 'USAGE') AS three`;
    assert.deepEqual(await rows(test.db, sql, [program]), [{ messages: true, events: true, one: false, two: false, three: false }]);
  });

  it('the program finds the tables in a schema with another name than public', async () => {
    await rows(test.db, 'ALTER SCHEMA public RENAME TO "of Tidings"');
    await rows(test.db, 'CREATE SCHEMA public');
    await useSchema('"of Tidings"');
    assert.deepEqual(await migrateWith(urls), []);
    assert.match((await requireSchema(urls, createLogger('api', 'silent'))) ?? '', /\.sql$/);
    const db = openPool(urls.databaseUrl, 1);
    await select(db, 'UPDATE messages SET channel = channel');
    await db.close();
  });

  it('the migration fails where the program does not find the tables, and says which statement helps', async () => {
    const migrateDatabaseUrl = await giveToOwner();
    const owner = new URL(migrateDatabaseUrl).username;
    await rows(test.db, `ALTER SCHEMA public RENAME TO ${owner}`); // "$user" is the first schema in which PostgreSQL searches
    await assert.rejects(migrateWith({ ...urls, migrateDatabaseUrl }), (error: Error) => {
      const name = new URL(test.url).pathname.slice(1);
      const fix = `ALTER DATABASE ${name} SET search_path = ${owner}`;
      assert.equal(error.message, `The tables are in the schema ${owner}, in which the role ${program} does not search. Run: ${fix}`);
      return true;
    });
    await useSchema(owner);
    assert.deepEqual(await migrateWith({ ...urls, migrateDatabaseUrl }), []);
  });

  it('the migration fails where its role may not let the program use the schema, and says which statement helps', async () => {
    const migrateDatabaseUrl = await giveToOwner();
    const owner = new URL(migrateDatabaseUrl).username;
    await rows(test.db, 'ALTER SCHEMA public OWNER TO CURRENT_USER');
    await rows(test.db, 'REVOKE ALL ON SCHEMA public FROM PUBLIC');
    await rows(test.db, `GRANT USAGE, CREATE ON SCHEMA public TO ${owner}`);
    const fix = `GRANT USAGE ON SCHEMA public TO ${program}`;
    await assert.rejects(migrateWith({ ...urls, migrateDatabaseUrl }), {
      message: `The tables are in the schema public, which the role ${program} may not use. Run, as the owner of the schema: ${fix}`,
    });
  });

  it('the migration makes no second set of tables where a new schema comes before that of the tables', async () => {
    await rows(test.db, 'CREATE SCHEMA newer');
    await useSchema('newer, public');
    const name = new URL(test.url).pathname.slice(1);
    await assert.rejects(migrateWith(urls), {
      message: `The tables are in the schema public, but new ones would be in newer. Run: ALTER DATABASE ${name} SET search_path = public`,
    });
    assert.deepEqual(await rows(test.db, `SELECT 1 AS one FROM pg_class WHERE relnamespace = 'newer'::regnamespace`), []);
  });

  it('the migration fails where the search path names no schema', async () => {
    await useSchema('missing');
    await assert.rejects(migrateWith(urls), { message: 'search_path names no schema that exists: create one, or correct search_path' });
  });
});
