/** A database of its own for each test file, cloned from the migrated template. */
import { randomUUID } from 'node:crypto';
import { connect, type Database, select } from '../../models/database.js';
import { templateName } from './servers.js';

export interface TestDatabase {
  db: Database;
  url: string;
  drop(): Promise<void>;
}

/** Clones the template and connects to it. */
export async function freshDatabase(poolMax = 10): Promise<TestDatabase> {
  const name = `test_${randomUUID().replaceAll('-', '')}`;
  const server = process.env.TEST_DATABASE_SERVER;
  if (server === undefined) throw new Error('the test servers are not running: use npm test');
  await administer(server, `CREATE DATABASE ${name} TEMPLATE ${templateName} STRATEGY FILE_COPY`);
  const url = `${server}/${name}`;
  const db = connect(url, poolMax);
  return {
    db,
    url,
    drop: async () => {
      await db.close();
      await administer(server, `DROP DATABASE ${name} WITH (FORCE)`);
    },
  };
}

/** Cloning locks the template: parallel files wait for each other. */
async function administer(server: string, sql: string): Promise<void> {
  const { default: pg } = await import('pg');
  for (;;) {
    const client = new pg.Client({ connectionString: `${server}/postgres` });
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
