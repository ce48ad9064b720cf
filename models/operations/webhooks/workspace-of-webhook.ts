import { type Database, select } from '../../db/database.js';

/** The workspace of a webhook, also of a deleted one; undefined if its row no longer exists. */
export async function workspaceOfWebhook(db: Database, webhookId: string): Promise<string | undefined> {
  const [row] = await select<{ workspace_id: string }>(db, 'SELECT workspace_id FROM webhooks WHERE id = $1', [webhookId]);
  return row?.workspace_id;
}
