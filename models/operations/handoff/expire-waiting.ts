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

/**
 * SQL: when the next queued message of a group expires. Leaves out messages that `refuseQueued` leaves out.
 * @param groupId SQL
 */
export const firstExpiry = (groupId: string) => `(
  SELECT min(m.expires_at) FROM messages m
  WHERE m.group_id = ${groupId} AND m.status = 'queued' AND m.status_detail <> 'sending' AND m.expires_at IS NOT NULL AND NOT ${isUncertain})`;

const nextExpiry = `SELECT extract(epoch FROM ${firstExpiry('$1')} - now())::double precision * 1000 AS in_ms`;
