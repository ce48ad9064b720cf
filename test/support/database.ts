/** A database of its own for each test file, cloned from the migrated template. */
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { connect, type Database, select } from '../../models/db/database.js';
import { templateName } from './servers.js';

export interface TestDatabase {
  db: Database;
  url: string;
  /** Closes the pool and drops the database. */
  drop(): Promise<void>;
  /** Closes the pool and removes all rows that tests stored. It takes a third of the CPU of dropping it and cloning another. @returns it with a new pool */
  renew(): Promise<TestDatabase>;
}

/** The database for the next test file, created in advance. */
let spare: Promise<string> | undefined;

/** A clone of the template, and a connection to it. */
export async function freshDatabase(poolMax = 10): Promise<TestDatabase> {
  const server = process.env.TEST_DATABASE_SERVER;
  if (server === undefined) throw new Error('the test servers are not running: use npm test');
  const name = await (spare ?? clone(server));
  spare = clone(server);
  spare.catch(() => undefined); // the error is thrown where it is awaited; at the end of the run the server may be stopped already
  return opened(server, name, poolMax);
}

function opened(server: string, name: string, poolMax: number): TestDatabase {
  const url = `${server}/${name}`;
  const db = connect(url, poolMax);
  return {
    db,
    url,
    drop: async () => {
      await db.close();
      void administer(server, 'postgres', `DROP DATABASE ${name} WITH (FORCE)`).catch(() => undefined); // the server is removed at the end
    },
    renew: async () => {
      await db.close();
      await administer(server, name, emptyTables);
      return opened(server, name, poolMax);
    },
  };
}

const cutOthers = 'pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()';

/** Ends other sessions, and leaves the rows of a new database. In the role of a replica no trigger forbids it, and foreign keys are not checked. */
const emptyTables = `DO $$
  DECLARE name text;
  BEGIN
    PERFORM ${cutOthers};
    SET LOCAL session_replication_role = replica;
    FOR name IN SELECT tablename FROM pg_tables WHERE schemaname = 'public' AND tablename <> 'schema_migrations' LOOP
      EXECUTE format('DELETE FROM %I', name);
    END LOOP;
    FOR name IN SELECT tablename FROM pg_tables WHERE schemaname = 'seeds' LOOP
      EXECUTE format('INSERT INTO %I TABLE seeds.%I', name, name);
    END LOOP;
    PERFORM pg_stat_force_next_flush(); -- else the rows read here are counted later, while a test counts its own
  END $$`;

/** Copying files takes a third of the CPU of `WAL_LOG`, which also writes each page to the log. */
async function clone(server: string): Promise<string> {
  const name = `test_${randomUUID().replaceAll('-', '')}`;
  await administer(server, 'postgres', `CREATE DATABASE ${name} TEMPLATE ${templateName} STRATEGY FILE_COPY`);
  return name;
}

const templateBusy = '55006';
const templateWaitMs = 60_000;
const templatePauseMs = 20;

/** Runs a statement in a session of its own. Cloning locks the template, so parallel files wait for each other. */
async function administer(server: string, database: string, sql: string): Promise<void> {
  const { default: pg } = await import('pg');
  for (const started = Date.now(); ; await sleep(templatePauseMs)) {
    const client = new pg.Client({ connectionString: `${server}/${database}` });
    client.on('error', () => undefined); // the statement rejects with the same error
    await client.connect();
    try {
      await client.query(sql);
      return;
    } catch (error) {
      if ((error as { code?: string }).code !== templateBusy) throw error;
      if (Date.now() - started > templateWaitMs) throw new Error('the template stays in use', { cause: error });
    } finally {
      await client.end();
    }
  }
}

/** Ends all other sessions of the database, as its restart does. */
export const cutConnections = (db: Database) => select(db, `SELECT ${cutOthers}`);

/** The rows of a statement, for assertions. */
export const rows = <Row extends object = Record<string, unknown>>(db: Database, sql: string, bind: unknown[] = []) =>
  select<Row>(db, sql, bind);
