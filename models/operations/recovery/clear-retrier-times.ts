import { type Database, select } from '../../db/database.js';

/** Notes that no webhook has a retrier, because their workflows were ended. New ones take over what is due. @returns how many webhooks had one */
export async function clearRetrierTimes(db: Database, limit: number): Promise<number> {
  return (await select(db, clear, [limit])).length;
}

const clear = `
  UPDATE webhooks SET carrier_looks_at = NULL
  WHERE id IN (SELECT id FROM webhooks WHERE carrier_looks_at IS NOT NULL ORDER BY id LIMIT $1 FOR NO KEY UPDATE) RETURNING id`;
