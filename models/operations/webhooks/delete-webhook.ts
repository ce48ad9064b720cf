import { type Database, select } from '../../db/database.js';
import { notFound } from '../../errors.js';
import { originOfUrl } from '../../rules/audit/changes.js';
import type { Origin } from '../../rules/audit/origin.js';
import { Webhook } from '../../tables/webhook.js';
import { asCaller } from '../accounts/as-caller.js';
import { recordAuditEvent } from '../audit/record-audit-event.js';
import { holdsPending } from '../deliveries/settle-deliveries.js';

/**
 * Deletes a webhook: no query returns it, it gets no further events, and no attempt begins after this resolves. Its pending deliveries fail:
 * the retrier, which the caller must wake, writes that to their rows. The row of the webhook stays until its deliveries are deleted.
 * @throws AppError not_found if the workspace has no such webhook, also at the second call; unauthorized if the credential has ended
 */
export async function deleteWebhook(db: Database, workspaceId: string, id: string, origin: Origin): Promise<void> {
  const webhook = await Webhook.owned(workspaceId, id);
  await asCaller(db, workspaceId, origin, async (transaction) => {
    if ((await select(db, remove, [webhook.id], transaction)).length === 0) throw notFound('Webhook'); // two concurrent calls
    const target = { type: 'webhook', id: webhook.id, name: originOfUrl(webhook.url) } as const;
    await recordAuditEvent(db, transaction, origin, { workspaceId, type: 'webhook.deleted', target });
  });
}

const remove = `
  UPDATE webhooks SET is_active = false, deleted_at = now(), updated_at = now(), ${holdsPending}
  WHERE id = $1 AND deleted_at IS NULL RETURNING id`;
