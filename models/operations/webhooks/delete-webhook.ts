import { type Database, inTransaction, select } from '../../db/database.js';
import { notFound } from '../../errors.js';
import { originOfUrl } from '../../rules/audit/changes.js';
import type { Origin } from '../../rules/audit/origin.js';
import { Webhook } from '../../tables/webhook.js';
import { recordAuditEvent } from '../audit/record-audit-event.js';
import { holdsPending } from './settle-deliveries.js';

/**
 * Deletes a webhook: no query sees it any more, it gets no further events, and no attempt begins after this resolves. What was still on its
 * way ends as failed; the retrier, which has to be woken, writes that to the deliveries. The row stays until its deliveries are gone.
 * @throws AppError 404 when the workspace has no such webhook, also the second time
 */
export async function deleteWebhook(db: Database, workspaceId: string, id: string, origin: Origin): Promise<void> {
  const webhook = await Webhook.owned(workspaceId, id);
  await inTransaction(db, async (transaction) => {
    if ((await select(db, remove, [webhook.id], transaction)).length === 0) throw notFound('Webhook'); // two at once
    const target = { type: 'webhook', id: webhook.id, name: originOfUrl(webhook.url) };
    await recordAuditEvent(db, transaction, origin, { workspaceId, type: 'webhook.deleted', target });
  });
}

const remove = `
  UPDATE webhooks SET is_active = false, deleted_at = now(), updated_at = now(), ${holdsPending}
  WHERE id = $1 AND deleted_at IS NULL RETURNING id`;
