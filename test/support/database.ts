/** A database of its own for each test file, cloned from the migrated template. */
import { randomUUID } from 'node:crypto';
import { connect, type Database, select } from '../../models/db/database.js';
import { templateName } from './servers.js';

export interface TestDatabase {
  db: Database;
  url: string;
  drop(): Promise<void>;
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
  const url = `${server}/${name}`;
  const db = connect(url, poolMax);
  return {
    db,
    url,
    drop: async () => {
      await db.close();
      void administer(server, `DROP DATABASE ${name} WITH (FORCE)`).catch(() => undefined); // the whole server is removed at the end
    },
  };
}

async function clone(server: string): Promise<string> {
  const name = `test_${randomUUID().replaceAll('-', '')}`;
  await administer(server, `CREATE DATABASE ${name} TEMPLATE ${templateName} STRATEGY WAL_LOG`);
  return name;
}

/** Runs a statement on the server. Cloning locks the template, so parallel files wait for each other. */
async function administer(server: string, sql: string): Promise<void> {
  const { default: pg } = await import('pg');
  for (;;) {
    const client = new pg.Client({ connectionString: `${server}/postgres` });
    client.on('error', () => undefined); // the statement rejects with the same error
    await client.connect();
    try {
      await client.query(sql);
      return;
    } catch (error) {
      if ((error as { code?: string }).code !== '55006') throw error; // template in use by another clone
    } finally {
      await client.end();
    }
  }
}

/** The rows of a statement, for assertions. */
export const rows = <Row extends object = Record<string, unknown>>(db: Database, sql: string, bind: unknown[] = []) =>
  select<Row>(db, sql, bind);
