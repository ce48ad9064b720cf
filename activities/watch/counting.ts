/** The watcher's step for the sums of messages. */
import type { Database } from '../../models/db/database.js';
import { foldChanges, forgetHours } from '../../models/operations/workspaces/fold-changes.js';

/** Runs before the maintenance steps, within their time limit. */
const countingMs = 5_000;

export function countingActivities({ db }: { db: Database }) {
  return {
    /** Adds what changed to the sums of the overviews, until the time is up. */
    async countMessages(): Promise<void> {
      await foldChanges(db, Date.now() + countingMs);
      await forgetHours(db);
    },
  };
}
