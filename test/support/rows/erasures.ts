/** The erasures of tests. Nothing delivers the events of messages that they cancel. */
import type { Database } from '../../../models/db/database.js';
import * as running from '../../../models/operations/erasure/run-erasures.js';

/** @throws the error of an erasure that fails */
export const runErasures = (db: Database, key: Buffer): Promise<number> =>
  running.runErasures(db, key, Date.now() + 60_000, {
    onCancelled: async () => undefined,
    onFailed: (_, err) => {
      throw err;
    },
  });
