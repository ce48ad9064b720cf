import { type Database, select } from '../../db/database.js';
import { refuseQueued, type SendingRules } from './refuse-queued.js';
import { isUncertain } from './uncertain-handoffs.js';

/**
 * Fails the queued messages of a group that have expired, without a claim: no call may be made now.
 * @returns whether messages have failed, and milliseconds until the next one expires; null if none will
 */
export async function expireWaiting(
  db: Database,
  groupId: string,
  rules: SendingRules,
): Promise<{ hasExpired: boolean; nextMs: number | null }> {
  for (let hasExpired = false; ; hasExpired = true) {
    const nextMs = await nextExpiryInMs(db, groupId);
    if (nextMs === null || nextMs > 0) return { hasExpired, nextMs };
    await refuseQueued(db, groupId, rules);
  }
}

/** @returns milliseconds until the next queued message of a group expires, by the clock of the database; null if none will */
export async function nextExpiryInMs(db: Database, groupId: string): Promise<number | null> {
  const [next] = await select<{ in_ms: number | null }>(db, nextExpiry, [groupId]);
  return next?.in_ms ?? null;
}

// Messages that are not refused here are left out: see `refuseQueued`.
const nextExpiry = `
  SELECT extract(epoch FROM min(expires_at) - now())::double precision * 1000 AS in_ms FROM messages m
  WHERE group_id = $1 AND status = 'queued' AND status_detail <> 'sending' AND NOT ${isUncertain}`;
