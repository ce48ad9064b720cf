import { type Database, select } from '../../db/database.js';
import { isUuid } from '../../rules/values/text.js';

/** The sites that may show the portal of this webhook in a frame; none for an unknown webhook. They are public: a header of the page names them. */
export async function findFrameAncestors(db: Database, webhookId: string): Promise<readonly string[]> {
  if (!isUuid(webhookId)) return [];
  const [row] = await select<{ frame_ancestors: string[] | null }>(db, find, [webhookId]);
  return row?.frame_ancestors ?? [];
}

const find = `SELECT frame_ancestors FROM webhooks WHERE id = $1 AND deleted_at IS NULL`;
