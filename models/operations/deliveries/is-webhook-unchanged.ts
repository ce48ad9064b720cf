import { type Database, select } from '../../db/database.js';

/** Whether the owner has not changed the webhook since this time. @param changedAt `changed_at` of a delivery */
export async function isWebhookUnchanged(db: Database, webhookId: string, changedAt: string): Promise<boolean> {
  return (await select(db, unchanged, [webhookId, changedAt])).length > 0;
}

const unchanged = 'SELECT 1 FROM webhooks WHERE id = $1 AND updated_at::text = $2';
