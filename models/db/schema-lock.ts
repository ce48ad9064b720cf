/** The lock that lets one process at a time change the schema. It is asked for again and again instead of waited for. */
import { setTimeout as sleep } from 'node:timers/promises';
import { type Database, onConnection, select, type Transaction } from './database.js';

/** An arbitrary constant. */
const advisoryLock = 727_001;
/**
 * A statement that waits for the lock would have a snapshot. PostgreSQL builds an index concurrently only after all older snapshots are gone,
 * so the builder and the process that waits for it would wait for each other.
 */
const askAgainMs = 200;

/** Called each time that another process has the lock. */
export type OnWait = () => void;
/** Shows who has the lock. */
export const whoMigrates = `SELECT pid, query FROM pg_locks JOIN pg_stat_activity USING (pid) WHERE locktype = 'advisory' AND objid = ${advisoryLock}`;

/** Repeats `tryOnce` until it got the lock. @param tryOnce returns undefined if another process has the lock */
async function untilFree<Result extends object>(tryOnce: () => Promise<Result | undefined>, onWait?: OnWait): Promise<Result> {
  for (;;) {
    const result = await tryOnce();
    if (result !== undefined) return result;
    onWait?.();
    await sleep(askAgainMs);
  }
}

/** Runs work in a transaction that holds the lock. It waits without a limit of time while another process holds it. */
export async function inSchemaTransaction<Result>(
  db: Database,
  work: (transaction: Transaction) => Promise<Result>,
  onWait?: OnWait,
): Promise<Result> {
  const tryOnce = () =>
    db.transaction(async (transaction) => {
      const sql = 'SELECT pg_try_advisory_xact_lock($1) AS is_ours';
      const [lock] = await select<{ is_ours: boolean }>(db, sql, [advisoryLock], transaction);
      return lock?.is_ours === true ? { result: await work(transaction) } : undefined;
    });
  const { result } = await untilFree(tryOnce, onWait);
  return result;
}

/** Runs one statement. */
export type Run = (sql: string) => Promise<object[]>;

/** Runs statements one by one, without a transaction, while the connection holds the lock. Waits as `inSchemaTransaction` does. */
export async function onSchemaConnection(db: Database, work: (run: Run) => Promise<void>, onWait?: OnWait): Promise<void> {
  const tryOnce = async () => {
    let isOurs = false;
    await onConnection(db, async (run) => {
      const [lock] = (await run(`SELECT pg_try_advisory_lock(${advisoryLock}) AS is_ours`)) as { is_ours: boolean }[];
      isOurs = lock?.is_ours === true;
      if (!isOurs) return;
      try {
        await work(run);
      } finally {
        await run(`SELECT pg_advisory_unlock(${advisoryLock})`).catch(() => undefined); // the end of a broken connection frees it
      }
    });
    return isOurs ? {} : undefined;
  };
  await untilFree(tryOnce, onWait);
}
