import { type Database, inTransaction, select } from '../database.js';
import { Webhook } from '../webhook.js';
import { endDeliveries } from './locked-deliveries.js';

/**
 * Deletes a webhook: no query sees it any more, it gets no further events, and what was still on its way ends as failed,
 * so that no attempt begins after this resolves. The row stays until its deliveries are gone.
 * @throws AppError 404 when the workspace has no such webhook, also the second time
 */
export async function deleteWebhook(db: Database, workspaceId: string, id: string): Promise<void> {
  const webhook = await Webhook.owned(workspaceId, id);
  await inTransaction(db, async (transaction) => {
    await webhook.update({ is_active: false, deleted_at: new Date(), updated_at: new Date() }, { transaction });
    await select(db, endPending, [id], transaction);
  });
}

const endPending = endDeliveries('failed', `d.webhook_id = $1 AND d.status IN ('pending', 'held')`);
