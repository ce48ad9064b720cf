/** Whether a process has the SECRET_KEY of its database. */
import { withConnection } from '../db/database.js';
import { explainDatabaseError } from '../db/explain-database-error.js';
import { mayBeOutage } from '../db/sql-state.js';
import { makeErasureKey, opensErasureKey } from '../operations/erasure/erasure-key.js';
import type { Logger } from '../process/logger.js';
import type { Config } from '../settings/config.js';

/** What is wrong, for people. */
export const foreignSecretKey = 'neither SECRET_KEY nor SECRET_KEYS_OLD decrypts what the other processes have encrypted in this database';
/** What to do about it. */
export const secretKeyFix = 'Set SECRET_KEY to the value of the other processes, or add their former value to SECRET_KEYS_OLD';

/** The process has another SECRET_KEY than those that made the data, or cannot compare it. */
export class SecretKeyError extends Error {}

/**
 * Called at the start of a process, which would otherwise refuse valid API keys and store what no other process can read. The first process of an
 * installation makes the value by which the key is known. If PostgreSQL does not answer, the process starts (see `requireSchema`).
 * @throws SecretKeyError
 */
export async function requireSecretKey(
  { databaseUrl, secretKeys }: Pick<Config, 'databaseUrl' | 'secretKeys'>,
  logger: Logger,
): Promise<void> {
  try {
    await withConnection(databaseUrl, async (db) => {
      if ((await opensErasureKey(db, secretKeys)) === null) await makeErasureKey(db, secretKeys[0]);
      if ((await opensErasureKey(db, secretKeys)) === false) throw new SecretKeyError(`Bad settings: ${foreignSecretKey}. ${secretKeyFix}`);
    });
  } catch (err) {
    if (err instanceof SecretKeyError) throw err;
    if (!mayBeOutage(err)) {
      throw new SecretKeyError(`SECRET_KEY could not be compared with the database: ${explainDatabaseError(err as Error)}`, { cause: err });
    }
    logger.warn({ err }, 'PostgreSQL does not respond: the process starts without a check of SECRET_KEY');
  }
}
