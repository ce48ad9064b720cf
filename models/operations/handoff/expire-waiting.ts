import { type Database, select } from '../../db/database.js';
import { refuseQueued } from './claim-handoffs.js';
import { isUncertain } from './uncertain-handoffs.js';

/**
 * Fails the queued messages of a group that have expired, without a claim: no call may be made now.
 * @param erasureKey see `ClaimLimits`
 * @returns whether some had, and milliseconds until the next one expires; null if none of them does
 */
export async function expireWaiting(
  db: Database,
  groupId: string,
  erasureKey: Buffer | null,
): Promise<{ hasExpired: boolean; nextMs: number | null }> {
  for (let hasExpired = false; ; hasExpired = true) {
    const [next] = await select<{ in_ms: number | null }>(db, nextExpiry, [groupId]);
    const nextMs = next?.in_ms ?? null;
    if (nextMs === null || nextMs > 0) return { hasExpired, nextMs };
    await refuseQueued(db, groupId, erasureKey);
  }
}

// Messages that are not refused here are left out: see `refuseQueued`.
const nextExpiry = `
  SELECT extract(epoch FROM min(expires_at) - now())::double precision * 1000 AS in_ms FROM messages m
  WHERE group_id = $1 AND status = 'queued' AND status_detail <> 'sending' AND NOT ${isUncertain}`;
