/** The connection to PostgreSQL and the three ways to ask it something. */
import { createHash } from 'node:crypto';
import pg from 'pg';
import { type BindOrReplacements, QueryTypes, Sequelize, type Transaction } from 'sequelize';
import { initModels } from './tables.js';

export type { Transaction };
export type Database = Sequelize;

// bigint (amounts, counts) as number: exact up to 9e15 thousandths, and refused loudly beyond.
pg.types.setTypeParser(20, (text) => {
  const value = Number(text);
  if (!Number.isSafeInteger(value)) throw new Error(`bigint out of range: ${text}`);
  return value;
});

/**
 * Opens a pool and binds the models to it.
 * @param url postgres://user:password@host:port/database
 * @param poolMax most connections at once
 */
export function connect(url: string, poolMax: number): Database {
  const database = new Sequelize(url, {
    dialect: 'postgres',
    logging: false,
    pool: { max: poolMax, min: 0, idle: 30_000, acquire: 5_000 },
    dialectOptions: {
      application_name: 'tidings',
      keepAlive: true,
      connectionTimeoutMillis: 5_000,
      statement_timeout: 30_000,
      idle_in_transaction_session_timeout: 15_000,
      lock_timeout: 5_000,
    },
    define: { timestamps: false, freezeTableName: true },
  });
  database.addHook('afterConnect', (connection) => prepareStatements(connection as pg.Client));
  initModels(database);
  return database;
}

/**
 * Statements with parameters are few and are repeated for every message: each is parsed and planned once a connection, which
 * halves what they cost the server. A migration under a running process can make a prepared statement unusable (its columns
 * changed): the statements of that connection are then prepared anew.
 */
function prepareStatements(connection: pg.Client): void {
  let generation = 0;
  const query = connection.query.bind(connection) as (...args: unknown[]) => unknown;
  const prepared = (text: unknown, values: unknown, done: unknown) => {
    if (typeof text !== 'string' || !Array.isArray(values) || values.length === 0 || typeof done !== 'function')
      return query(text, values, done);
    const name = `${generation}-${createHash('sha1').update(text).digest('base64')}`;
    return query({ name, text, values }, (error: (Error & { code?: string }) | null, result: unknown) => {
      if (error?.code === featureNotSupported) generation += 1;
      done(error, result);
    });
  };
  connection.query = prepared as typeof connection.query;
}

/** "cached plan must not change result type" comes under this code. */
const featureNotSupported = '0A000';

/** Rows of one statement with `$1`-style parameters. */
export function select<Row extends object>(db: Database, sql: string, bind: unknown[] = [], transaction?: Transaction): Promise<Row[]> {
  return db.query<Row>(sql, {
    type: QueryTypes.SELECT, // returns rows for INSERT/UPDATE … RETURNING too
    bind: bind as BindOrReplacements as unknown[],
    ...(transaction === undefined ? {} : { transaction }),
  });
}

/** Runs `work` in one READ COMMITTED transaction: commits its result, or rolls back and rethrows. */
export function inTransaction<T>(db: Database, work: (transaction: Transaction) => Promise<T>): Promise<T> {
  return db.transaction(work);
}
