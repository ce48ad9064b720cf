import { type Database, selectIds, type Transaction } from '../../db/database.js';
import { isPending, lockedDeliveries } from './locked-deliveries.js';

/**
 * Claims deliveries whose attempt is long overdue, by making them due now. The caller is a late round of their group, or the watcher, which
 * cannot see whether there is such a round.
 * @returns the deliveries that were claimed. The others are claimed by another caller, or have ended
 */
export async function claimOverdue<Delivery extends { id: string }>(
  db: Database,
  deliveries: readonly Delivery[],
  olderThanSeconds: number,
  transaction?: Transaction,
): Promise<Delivery[]> {
  if (deliveries.length === 0) return [];
  const claimed = new Set(await selectIds(db, claim, [deliveries.map(({ id }) => id), olderThanSeconds], transaction));
  return deliveries.filter(({ id }) => claimed.has(id));
}

const claim = `
  UPDATE deliveries SET next_attempt_at = now()
  WHERE id IN ${lockedDeliveries(
    `d.id = ANY($1::uuid[]) AND ${isPending} AND d.next_attempt_at < now() - $2 * interval '1 second'`,
  )} RETURNING id`;
