import { type Database, inTransaction, select } from '../../db/database.js';
import { originOfUrl } from '../../rules/audit/changes.js';
import { systemOrigin } from '../../rules/audit/origin.js';
import { recordAuditEvent } from '../audit/record-audit-event.js';
import { enqueueNotice } from '../mails/issue-mail.js';
import { holdsPending } from './settle-deliveries.js';

/**
 * Stops sending to a webhook. Its pending deliveries are held and can be replayed. Does nothing if the webhook is inactive already. The time
 * does not depend on the number of deliveries.
 *
 * A mail notifies the owner, unless the owner has reached the limit of mails: the address may belong to another person, whose mailbox must not
 * be flooded by repeated activations of the webhook.
 * @param reason a sentence without its full stop
 */
export async function disableWebhook(db: Database, webhookId: string, reason: string): Promise<void> {
  await inTransaction(db, async (transaction) => {
    const [disabled] = await select<{ workspace_id: string; url: string }>(db, disable, [webhookId, reason], transaction);
    if (disabled === undefined) return;
    const { workspace_id: workspaceId } = disabled;
    // The rest of the URL may contain a token, or words for the person at an address that nobody has verified.
    const url = originOfUrl(disabled.url);
    await enqueueNotice(db, transaction, workspaceId, { kind: 'webhook_disabled', detail: { url, reason } });
    const target = { type: 'webhook', id: webhookId, name: url };
    const event = { workspaceId, type: 'webhook.disabled', target, changes: { reason } } as const;
    await recordAuditEvent(db, transaction, systemOrigin('deliveries'), event);
  });
}

const disable = `
  UPDATE webhooks SET is_active = false, disabled_reason = $2, updated_at = now(), ${holdsPending}
  WHERE id = $1 AND is_active RETURNING workspace_id, url`;
