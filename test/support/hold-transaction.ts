import { type Database, inTransaction, type Transaction } from '../../models/db/database.js';

export interface HeldTransaction {
  transaction: Transaction;
  commit(): Promise<void>;
  rollback(): Promise<void>;
}

/** Begins a transaction for operations of the product, which take only those of `inTransaction`. The test must end it. */
export function holdTransaction(db: Database): Promise<HeldTransaction> {
  return new Promise((begun, failed) => {
    const ended: Promise<void> = inTransaction(
      db,
      (transaction) =>
        new Promise<void>((succeed, fail) => {
          const commit = () => (succeed(), ended);
          const rollback = () => (fail(new Error('rolled back')), ended.catch(() => undefined));
          begun({ transaction, commit, rollback });
        }),
    );
    ended.catch(failed);
  });
}
