import { type Database, select } from '../../db/database.js';

/** Whose a webhook is, also one that was deleted; undefined when nothing of it is left. */
export async function workspaceOfWebhook(db: Database, webhookId: string): Promise<string | undefined> {
  const [row] = await select<{ workspace_id: string }>(db, 'SELECT workspace_id FROM webhooks WHERE id = $1', [webhookId]);
  return row?.workspace_id;
}
