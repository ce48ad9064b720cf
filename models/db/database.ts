/** The connection to PostgreSQL, and the ways to run statements. */
import pg from 'pg';
import { BaseError, ConnectionError, Sequelize, type Transaction } from 'sequelize';
import type { Pace } from '../flow/give-way.js';
import { observeConnect } from '../metrics/observe.js';
import { watchPool } from '../metrics/pools.js';
import { connectionOptions, withSessionSettings } from './connection-options.js';
import { resilientPg } from './postgres-client.js';
import { prepareStatements } from './prepared-statements.js';
import { beginAndEndDirectly, connectionOf, type Internals, rowsOf } from './statements.js';
import { initModels } from '../tables/tables.js';

export type { Transaction };
export type Database = Sequelize;

// bigint (amounts, counts) as number: exact up to 9e15 thousandths, and an error beyond.
pg.types.setTypeParser(20, (text) => {
  const value = Number(text);
  if (!Number.isSafeInteger(value)) throw new Error(`bigint out of range: ${text}`);
  return value;
});

const paces = new WeakMap<Database, Pace>();
/** Twice the interval of the watcher, whose connections are kept between its runs. */
const idleMsMax = 60_000;

/**
 * Opens a pool and binds the models to it; see `openPool`.
 * @param pace each statement and each transaction waits for its turn
 */
export function connect(url: string, poolMax: number, { pace, answerMsMax }: { pace?: Pace; answerMsMax?: number } = {}): Database {
  const database = openPool(url, poolMax, { answerMsMax });
  initModels(database);
  if (pace !== undefined) paces.set(database, pace);
  return database;
}

/** Between two steps of a transaction that writes much: lets urgent work of the process pass. @param stepMs how long the last step took */
export const restBetweenSteps = async (db: Database, stepMs: number): Promise<void> => paces.get(db)?.rest(stepMs);

/**
 * Divides the connections of a process that has a thread for batches. Then hundreds of statements of a batch wait only for each other. Each side
 * has at least one connection.
 * @param poolMax at least 2
 */
export function sharePool(poolMax: number, bulkShare: number): { own: number; bulk: number } {
  const bulk = Math.max(1, Math.floor(poolMax * bulkShare));
  return { own: poolMax - bulk, bulk };
}

/**
 * Opens a pool without models.
 * @param url postgres://user:password@host:port/database
 * @param poolMax the maximum number of connections
 * @param waits answerMsMax: how long to wait for an answer; the default is above the timeout of statements. acquireMsMax: how long to wait
 * for a connection
 */
export function openPool(url: string, poolMax: number, waits: { answerMsMax?: number | undefined; acquireMsMax?: number } = {}): Database {
  const { answerMsMax = 35_000, acquireMsMax = 5_000 } = waits;
  const database = new Sequelize(withSessionSettings(url), {
    dialect: 'postgres',
    dialectModule: resilientPg,
    logging: false,
    pool: { max: poolMax, min: 0, idle: idleMsMax, acquire: acquireMsMax },
    dialectOptions: connectionOptions({ answerMsMax, acquireMsMax }),
    define: { timestamps: false, freezeTableName: true },
  });
  database.addHook('afterConnect', (connection) => prepareStatements(connection as pg.Client));
  beginAndEndDirectly(database);
  const { connectionManager } = database as unknown as Internals;
  const getConnection = connectionManager.getConnection.bind(connectionManager);
  connectionManager.getConnection = (options) => observeConnect(() => getConnection(options)).catch(throwAsConnectionError);
  const endWatch = watchPool(connectionManager.pool);
  const close = database.close.bind(database);
  database.close = async () => {
    endWatch();
    await close();
  };
  return database;
}

/** Runs work with a connection of its own, without models. An answer may take five seconds. */
export async function withConnection<Result>(url: string, work: (db: Database) => Promise<Result>): Promise<Result> {
  const db = openPool(url, 1, { answerMsMax: 5_000 });
  try {
    return await work(db);
  } finally {
    await db.close();
  }
}

/** Sequelize wraps errors of the login, and not those of the statement after it, which sets the connection up. */
function throwAsConnectionError(error: Error): never {
  throw error instanceof BaseError ? error : new ConnectionError(error);
}

/**
 * The rows of one statement with `$1`-style parameters. INSERT, UPDATE and DELETE … RETURNING return rows too.
 *
 * Takes a connection from Sequelize's pool, or that of the transaction. Bypasses Sequelize's query layer, which costs as much as the
 * statements on the path of a message.
 * @throws Sequelize's errors, as from a model
 */
export async function select<Row extends object>(
  db: Database,
  sql: string,
  bind: unknown[] = [],
  transaction?: Transaction,
): Promise<Row[]> {
  if (transaction !== undefined) return rowsOf(db, connectionOf(transaction), sql, bind);
  return inTurn(db, async () => {
    const { connectionManager } = db as unknown as Internals;
    const connection = await connectionManager.getConnection({ type: 'SELECT' });
    try {
      return await rowsOf(db, connection, sql, bind);
    } finally {
      connectionManager.releaseConnection(connection);
    }
  });
}

/** The column `id` of the rows; otherwise as `select`. */
export async function selectIds(db: Database, sql: string, bind?: unknown[], transaction?: Transaction): Promise<string[]> {
  return (await select<{ id: string }>(db, sql, bind, transaction)).map(({ id }) => id);
}

/** The first row; otherwise as `select`. @throws Error if there is none */
export async function selectOne<Row extends object>(db: Database, sql: string, bind?: unknown[], transaction?: Transaction): Promise<Row> {
  const [row] = await select<Row>(db, sql, bind, transaction);
  if (row === undefined) throw new Error(`no row for ${sql}`);
  return row;
}

/** Runs work when its turn comes; see `connect`. Its statements do not wait for other turns. */
export function inTurn<Result>(db: Database, work: () => Promise<Result>): Promise<Result> {
  const pace = paces.get(db);
  return pace === undefined ? work() : pace.run(work);
}

/** Runs one statement, with parameters as in `select`. */
export type Run = (sql: string, bind?: unknown[]) => Promise<object[]>;

/** Runs statements on one connection, outside a transaction. */
export async function onConnection<Result>(db: Database, work: (run: Run) => Promise<Result>): Promise<Result> {
  const { connectionManager } = db as unknown as Internals;
  const connection = await connectionManager.getConnection({ type: 'WRITE' });
  try {
    return await work((sql, bind = []) => rowsOf(db, connection, sql, bind));
  } finally {
    connectionManager.releaseConnection(connection);
  }
}

/** The time by the database's clock, for rows that are compared with that clock. */
export async function currentTime(db: Database): Promise<Date> {
  return (await selectOne<{ now: Date }>(db, 'SELECT clock_timestamp() AS now')).now;
}

/** The time so many milliseconds ago by the database's clock, for rows that are deleted by their age: a worker's clock may be wrong by days. */
export const timeAgo = async (db: Database, ms: number): Promise<Date> => new Date((await currentTime(db)).getTime() - ms);

/**
 * Runs `work` in one READ COMMITTED transaction. Commits and returns its result, or rolls back and rethrows.
 *
 * To prevent deadlocks, every transaction, and every statement that locks several rows, locks in one order: see docs/architecture.md, Locks.
 */
export async function inTransaction<T>(db: Database, work: (transaction: Transaction) => Promise<T>): Promise<T> {
  const steps: (() => void)[] = [];
  const result = await inTurn(db, () =>
    db.transaction((transaction) => {
      stepsAfter.set(transaction, steps);
      return work(transaction);
    }),
  );
  for (const step of steps) step();
  return result;
}

/** Waits until no other transaction holds this name, and holds it until the transaction ends. */
export async function lockName(db: Database, transaction: Transaction, name: string): Promise<void> {
  await select(db, 'SELECT pg_advisory_xact_lock(hashtextextended($1, 0))', [name], transaction);
}

const stepsAfter = new WeakMap<Transaction, (() => void)[]>();

/**
 * Runs a step after the COMMIT of a transaction of `inTransaction`. Sequelize's own `afterCommit` also runs it when the COMMIT has failed. In other
 * transactions (tests, migrations) no step runs.
 */
export function afterCommit(transaction: Transaction, step: () => void): void {
  stepsAfter.get(transaction)?.push(step);
}
