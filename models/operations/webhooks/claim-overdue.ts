import { type Database, select } from '../../db/database.js';
import { isPending, lockedDeliveries } from './locked-deliveries.js';

/**
 * Deliveries that should have been attempted so long ago belong to whoever claims them, by making them due now: a round of their
 * group that comes to them late, or the watcher, who cannot see whether there is one.
 * @returns those of them that were claimed; the others are somebody else's, or are done
 */
export async function claimOverdue<Delivery extends { id: string }>(
  db: Database,
  deliveries: readonly Delivery[],
  olderThanSeconds: number,
): Promise<Delivery[]> {
  if (deliveries.length === 0) return [];
  const rows = await select<{ id: string }>(db, claim, [deliveries.map(({ id }) => id), olderThanSeconds]);
  const claimed = new Set(rows.map(({ id }) => id));
  return deliveries.filter(({ id }) => claimed.has(id));
}

const claim = `
  UPDATE deliveries SET next_attempt_at = now()
  WHERE id IN ${lockedDeliveries(
    `d.id = ANY($1::uuid[]) AND ${isPending} AND d.next_attempt_at < now() - $2 * interval '1 second'`,
  )} RETURNING id`;
