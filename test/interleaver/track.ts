/** One operation under way: where it stands between its statements. */
import { AsyncLocalStorage } from 'node:async_hooks';
import type pg from 'pg';
import type { Database } from '../../models/db/database.js';

/** `waits`: before its next statement · `runs`: the statement was let go · `blocked`: the server holds it at a lock · `done` */
type State = 'waits' | 'runs' | 'blocked' | 'done';

/** The operation that the present code belongs to. Statements outside of any operation are not held back. */
const current = new AsyncLocalStorage<Track>();

/** Milliseconds after which the server looks for a deadlock; its default of a second would make each one cost that. */
const deadlockTimeoutMs = 20;

export class Track {
  state: State = 'runs';
  /** The statement that it waits with or runs. */
  statement = '';
  /** The server's process of its latest statement. */
  pid = 0;
  error: unknown;
  #release: () => void = () => undefined;

  /** @param onChange called whenever it comes to its next statement or to its end */
  constructor(
    readonly name: string,
    private readonly onChange: () => void,
  ) {}

  /** Starts the operation; it comes to a halt before its first statement. */
  start(operation: () => Promise<unknown>): void {
    void current.run(this, async () => {
      try {
        await operation();
      } catch (error) {
        this.error = error;
      }
      this.#enter('done');
    });
  }

  /** Holds a statement back until `step`. */
  arrive(pid: number, statement: string, release: () => void): void {
    this.pid = pid;
    this.statement = statement;
    this.#release = release;
    this.#enter('waits');
  }

  /** Lets the statement go. */
  step(): void {
    this.state = 'runs';
    this.#release();
  }

  #enter(state: State): void {
    this.state = state;
    this.onChange();
  }
}

type Query = (...args: unknown[]) => unknown;

/** Holds back every statement of operations on this pool, BEGIN and COMMIT too. To be called before its first connection is opened. */
export function holdStatements(db: Database): void {
  db.addHook('afterConnect', async (opened) => {
    const connection = opened as pg.Client & { processID: number };
    const query = connection.query.bind(connection) as Query;
    await new Promise<void>((resolve, reject) => {
      query(`SET deadlock_timeout = ${deadlockTimeoutMs}`, [], (error: Error | null) => (error === null ? resolve() : reject(error)));
    });
    const held: Query = (...args) => {
      const track = current.getStore();
      if (track === undefined) query(...args);
      else track.arrive(connection.processID, String(args[0]), () => query(...args));
    };
    connection.query = held as typeof connection.query;
  });
}
