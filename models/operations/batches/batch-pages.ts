import { type Database, select, selectIds } from '../../db/database.js';

/** The ids of the groups that are the pages of a batch, from a page number on. */
export function batchPages(db: Database, batchId: string, fromPage: number, limit: number): Promise<string[]> {
  return selectIds(db, pages, [batchId, fromPage, limit]);
}

const pages = 'SELECT id FROM message_groups WHERE batch_id = $1 AND page >= $2 ORDER BY page LIMIT $3';

/** The workflows of the pages that still have messages to hand off. They must be notified that their batch has changed. */
export async function waitingPages(db: Database, batchId: string): Promise<string[]> {
  const rows = await select<{ workflow_id: string }>(db, waiting, [batchId]);
  return rows.map(({ workflow_id }) => workflow_id);
}

const waiting = `SELECT workflow_id FROM message_groups WHERE batch_id = $1 AND closed_at IS NULL ORDER BY page`;
