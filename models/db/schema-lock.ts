import { setTimeout as sleep } from 'node:timers/promises';
import { type Database, onConnection, type Run, select, type Transaction } from './database.js';

/** An arbitrary constant. */
const advisoryLock = 727_001;
/**
 * A statement that waits for the lock would have a snapshot. PostgreSQL builds an index concurrently only after all older snapshots are gone,
 * so the builder and the process that waits for it would wait for each other.
 */
const askAgainMs = 200;

/** Shows who has the lock. */
export const whoMigrates = `SELECT pid, query FROM pg_locks JOIN pg_stat_activity USING (pid) WHERE locktype = 'advisory' AND objid = ${advisoryLock}`;

/** The lock that lets one process at a time change the schema. It is asked for again and again, without a limit of time. */
export class SchemaLock {
  /** @param onWait called each time that another process has the lock */
  constructor(
    private readonly db: Database,
    private readonly onWait: () => void = () => undefined,
  ) {}

  /** Runs work in a transaction that holds the lock. */
  async inTransaction<Result>(work: (transaction: Transaction) => Promise<Result>): Promise<Result> {
    const { result } = await this.#untilFree(() =>
      this.db.transaction(async (transaction) => {
        const sql = 'SELECT pg_try_advisory_xact_lock($1) AS is_ours';
        const [lock] = await select<{ is_ours: boolean }>(this.db, sql, [advisoryLock], transaction);
        return lock?.is_ours === true ? { result: await work(transaction) } : undefined;
      }),
    );
    return result;
  }

  /** Runs statements one by one, without a transaction, while the connection holds the lock. */
  async onConnection<Result>(work: (run: Run) => Promise<Result>): Promise<Result> {
    const { result } = await this.#untilFree(() =>
      onConnection(this.db, async (run) => {
        const [lock] = (await run(`SELECT pg_try_advisory_lock(${advisoryLock}) AS is_ours`)) as { is_ours: boolean }[];
        if (lock?.is_ours !== true) return undefined;
        try {
          return { result: await work(run) };
        } finally {
          await run(`SELECT pg_advisory_unlock(${advisoryLock})`).catch(() => undefined); // the end of a broken connection frees it
        }
      }),
    );
    return result;
  }

  /** @param tryOnce returns undefined if another process has the lock */
  async #untilFree<Result extends object>(tryOnce: () => Promise<Result | undefined>): Promise<Result> {
    for (;;) {
      const result = await tryOnce();
      if (result !== undefined) return result;
      this.onWait();
      await sleep(askAgainMs);
    }
  }
}
