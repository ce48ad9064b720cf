import { type Database, select } from '../database.js';
import { Webhook } from '../webhook.js';
import { holdsPending } from './settle-deliveries.js';

/**
 * Deletes a webhook: no query sees it any more, it gets no further events, and no attempt begins after this resolves. What was still on its
 * way ends as failed; the carrier, which has to be woken, writes that to the deliveries. The row stays until its deliveries are gone.
 * @throws AppError 404 when the workspace has no such webhook, also the second time
 */
export async function deleteWebhook(db: Database, workspaceId: string, id: string): Promise<void> {
  const webhook = await Webhook.owned(workspaceId, id);
  await select(db, remove, [webhook.id]);
}

const remove = `
  UPDATE webhooks SET is_active = false, deleted_at = now(), updated_at = now(), ${holdsPending} WHERE id = $1 AND deleted_at IS NULL`;
