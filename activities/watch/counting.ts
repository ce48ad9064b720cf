/** The watcher's step for the sums of messages. */
import type { Database } from '../../models/db/database.js';
import { deleteOldHours, rollUpChanges } from '../../models/operations/workspaces/roll-up-changes.js';
import { stepMs } from './step-times.js';

const hourMs = 3_600_000;

/** @param now milliseconds since 1970; tests set it */
export function countingActivities({ db }: { db: Database }, now = Date.now) {
  let forgottenIn: number | null = null;
  return {
    /**
     * Adds what changed to the sums of the overviews, until the time is up. Each process deletes old sums by hour once an hour: no index finds
     * them, and they become old at full hours.
     */
    async countMessages(): Promise<void> {
      await rollUpChanges(db, Date.now() + stepMs.countMessages);
      const hour = Math.floor(now() / hourMs);
      if (hour !== forgottenIn && (await deleteOldHours(db))) forgottenIn = hour;
    },
  };
}
