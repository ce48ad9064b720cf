/** Statements through `pg`. Sequelize's query layer costs as much as the statements on the path of a message. */
import type pg from 'pg';
import type { Sequelize, Transaction } from 'sequelize';
import { processMetrics } from '../metrics/catalogue.js';
import { observeDatabaseError } from '../metrics/observe.js';
import type { Pool } from '../metrics/pools.js';

/** Parts of Sequelize that its own queries use and that its types do not declare. */
export interface Internals {
  connectionManager: { getConnection(options: object): Promise<pg.Client>; releaseConnection(connection: pg.Client): void; pool: Pool };
  dialect: { Query: new (connection: pg.Client, db: Sequelize, options: object) => { formatError(error: Error, stack?: string): Error } };
}

/** A transaction with the parts that its type does not declare. */
type Open = Transaction & { connection: pg.Client; finished?: 'commit' | 'rollback' };

/** The connection of a transaction. */
export const connectionOf = (transaction: Transaction): pg.Client => (transaction as Open).connection;

/** The rows of one statement on a connection. @throws Sequelize's errors, as from a model */
export async function rowsOf<Row extends object>(db: Sequelize, connection: pg.Client, sql: string, bind: unknown[]): Promise<Row[]> {
  const begun = performance.now();
  try {
    return await answerOf<Row>(connection, sql, bind);
  } catch (error) {
    if (error instanceof Error) observeDatabaseError(error);
    throw errorFor(db, connection, error);
  } finally {
    processMetrics.statementSeconds.observe((performance.now() - begun) / 1000);
  }
}

function answerOf<Row extends object>(connection: pg.Client, sql: string, bind: unknown[]): Promise<Row[]> {
  return new Promise((resolve, reject) => {
    connection.query<Row>(sql, bind, (error, result) => (error ? reject(error) : resolve(result.rows)));
  });
}

/** Sequelize's error. */
function errorFor(db: Sequelize, connection: pg.Client, error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  return new (db as unknown as Internals).dialect.Query(connection, db, {}).formatError(error);
}

/**
 * Makes Sequelize begin and end transactions without its query layer, which costs more than they do. What follows from an error stays as it is
 * in Sequelize: a connection whose COMMIT or ROLLBACK has failed is closed. No transaction is nested in another.
 */
export function beginAndEndDirectly(db: Sequelize): void {
  const run = async (transaction: Open, sql: string) => {
    try {
      await answerOf(transaction.connection, sql, []);
    } catch (error) {
      throw errorFor(db, transaction.connection, error);
    }
  };
  const end = (finished: 'commit' | 'rollback', sql: string) => (transaction: Open) => {
    const ended = run(transaction, sql);
    transaction.finished = finished; // no model uses it any more
    return ended;
  };
  Object.assign(db.getQueryInterface(), {
    startTransaction: (transaction: Open) => run(transaction, 'START TRANSACTION'),
    commitTransaction: end('commit', 'COMMIT'),
    rollbackTransaction: end('rollback', 'ROLLBACK'),
  });
}
