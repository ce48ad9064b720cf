/** When API keys and sessions were used last. */
import type { Database } from '../../models/db/database.js';
import { BatchQueue } from '../../models/flow/batch-queue.js';
import { recordKeyUses, recordSessionUses, type Use } from '../../models/operations/accounts/record-uses.js';
import type { Logger } from '../../models/process/logger.js';

/** Notes that a key or a session is used. */
export type Touch = (used: { id: string; last_used_at: Date | null }, address?: string) => void;

/** Creates the functions that note the use of keys, with the address of the client, and of sessions. */
export function createTouches({ db, logger }: { db: Database; logger: Logger }): { key: Touch; session: Touch } {
  const onError = (err: unknown) => logger.warn({ err }, 'last_used_at was not written: the lists show an older time');
  return {
    key: lastUsed((uses) => recordKeyUses(db, uses).catch(onError)),
    session: lastUsed((uses) => recordSessionUses(db, uses).catch(onError)),
  };
}

/**
 * Writes last_used_at of a key or a session in the background, at most once a minute. Uses during a write are written together by the next
 * one. Otherwise the first uses of many keys would take all connections to the database at once, and sends would wait.
 */
function lastUsed(write: (uses: Use[]) => Promise<void>): Touch {
  const queue = new BatchQueue(
    async (uses: Use[]) => {
      await write(uses);
      return uses;
    },
    { maxBatchSize: 100 },
  );
  const inProgress = new Set<string>();
  return ({ id, last_used_at }, address) => {
    const at = new Date();
    if ((last_used_at !== null && at.getTime() - last_used_at.getTime() < 60_000) || inProgress.has(id)) return;
    inProgress.add(id);
    void queue.add({ id, at, address: address ?? null }).finally(() => inProgress.delete(id));
  };
}
