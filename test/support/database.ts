/** A database of its own for each test file, cloned from the migrated template. */
import { randomUUID } from 'node:crypto';
import { connect, type Database, select } from '../../models/db/database.js';
import { templateName } from './servers.js';

export interface TestDatabase {
  db: Database;
  url: string;
  drop(): Promise<void>;
}

/** The next one is made while a test uses this one. */
let spare: Promise<string> | undefined;

/** A clone of the template, and a connection to it. */
export async function freshDatabase(poolMax = 10): Promise<TestDatabase> {
  const server = process.env.TEST_DATABASE_SERVER;
  if (server === undefined) throw new Error('the test servers are not running: use npm test');
  const name = await (spare ?? clone(server));
  spare = clone(server);
  spare.catch(() => undefined); // the next caller gets the error; at the end of the run there is no caller, and the server may be gone
  const url = `${server}/${name}`;
  const db = connect(url, poolMax);
  return {
    db,
    url,
    drop: async () => {
      await db.close();
      void administer(server, `DROP DATABASE ${name} WITH (FORCE)`).catch(() => undefined); // the server is removed after the run
    },
  };
}

async function clone(server: string): Promise<string> {
  const name = `test_${randomUUID().replaceAll('-', '')}`;
  await administer(server, `CREATE DATABASE ${name} TEMPLATE ${templateName} STRATEGY WAL_LOG`);
  return name;
}

/** Cloning locks the template: parallel files wait for each other. */
async function administer(server: string, sql: string): Promise<void> {
  const { default: pg } = await import('pg');
  for (;;) {
    const client = new pg.Client({ connectionString: `${server}/postgres` });
    client.on('error', () => undefined); // the statement rejects too
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

/** All rows of a statement, for assertions. */
export const rows = <Row extends object = Record<string, unknown>>(db: Database, sql: string, bind: unknown[] = []) =>
  select<Row>(db, sql, bind);
