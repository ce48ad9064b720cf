/** Deliveries that child workflows attempt, one for each event, if the operator has chosen this. */
import { type Database, select, selectOne } from '../../db/database.js';
import { lockedDeliveries } from './locked-deliveries.js';

/** Notes that child workflows attempt these deliveries from now on. */
export async function leaveToChild(db: Database, ids: readonly string[]): Promise<void> {
  if (ids.length > 0) await select(db, toChild, [ids]);
}

const toChild = `UPDATE deliveries SET in_child = true WHERE id IN ${lockedDeliveries('d.id = ANY($1::uuid[])')}`;

/** How many of the deliveries have failed. */
export async function countFailed(db: Database, ids: readonly string[]): Promise<number> {
  const sql = `SELECT count(*) AS failed FROM deliveries WHERE id = ANY($1::uuid[]) AND status = 'failed'`;
  return (await selectOne<{ failed: number }>(db, sql, [ids])).failed;
}
