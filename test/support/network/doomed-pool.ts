/** The PostgreSQL connections of a process that dies at one of its statements. */
import type pg from 'pg';
import { type Database, openPool } from '../../../models/db/database.js';

export interface DoomedPool {
  db: Database;
  /** The number of statements so far. */
  statements(): number;
  close(): Promise<void>;
}

/** When the process dies: before the server gets the statement, or after the server has executed it and before the response arrives. */
export type Doom = { at: number; when: 'before' | 'after' };

type Query = (...args: unknown[]) => unknown;

/** Opens the pool. After the death every statement fails, and open transactions are rolled back. */
export function openDoomedPool(url: string, doom?: Doom): DoomedPool {
  const db = openPool(url, 3);
  const connections = new Set<pg.Client>();
  let statements = 0;
  let isDead = false;
  const die = () => {
    isDead = true;
    for (const connection of connections) (connection as unknown as Internals).connection.stream.destroy();
  };
  db.addHook('afterConnect', (opened) => {
    const connection = opened as pg.Client;
    connections.add(connection);
    const query = connection.query.bind(connection) as Query;
    const counted: Query = (...args) => {
      const done = args.at(-1) as (error: Error) => void;
      const fail = () => queueMicrotask(() => done(new Error('Connection terminated unexpectedly')));
      if (isDead) return fail();
      statements += 1;
      if (statements !== doom?.at) return query(...args);
      if (doom.when === 'before') {
        die();
        return fail();
      }
      return query(...args.slice(0, -1), () => {
        die();
        fail();
      });
    };
    connection.query = counted as typeof connection.query;
  });
  return { db, statements: () => statements, close: () => db.close() };
}

interface Internals {
  connection: { stream: { destroy(): void } };
}
