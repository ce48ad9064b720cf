import { type Database, select, type Transaction } from '../../db/database.js';

/** Whether the workspace is closed. Certain only under the lock of its row. */
export async function isClosed(db: Database, workspaceId: string, transaction?: Transaction): Promise<boolean> {
  const sql = 'SELECT 1 FROM workspaces WHERE id = $1 AND closed_at IS NOT NULL';
  return (await select(db, sql, [workspaceId], transaction)).length > 0;
}
