import { makeId } from '../../rules/values/make-id.js';
import { type Database, inTransaction, select } from '../../db/database.js';
import { originOfUrl } from '../../rules/audit/changes.js';
import { systemOrigin } from '../../rules/audit/origin.js';
import { recordAuditEvent } from '../audit/record-audit-event.js';
import { holdsPending } from './settle-deliveries.js';

/**
 * Stops sending to a webhook. Its pending deliveries are held and can be replayed. A mail notifies its owner. Does nothing if the webhook
 * is inactive already. The time does not depend on the number of deliveries.
 * @param reason a sentence without its full stop
 */
export async function disableWebhook(db: Database, webhookId: string, reason: string): Promise<void> {
  await inTransaction(db, async (transaction) => {
    const [disabled] = await select<{ workspace_id: string; url: string }>(db, disable, [webhookId, reason, makeId()], transaction);
    if (disabled === undefined) return;
    const target = { type: 'webhook', id: webhookId, name: originOfUrl(disabled.url) };
    const event = { workspaceId: disabled.workspace_id, type: 'webhook.disabled', target, changes: { reason } } as const;
    await recordAuditEvent(db, transaction, systemOrigin('deliveries'), event);
  });
}

const disable = `
  WITH disabled AS (
    UPDATE webhooks SET is_active = false, disabled_reason = $2, updated_at = now(), ${holdsPending}
    WHERE id = $1 AND is_active RETURNING workspace_id, url
  ), mailed AS (
    INSERT INTO mails (id, workspace_id, kind, detail)
    SELECT $3::uuid, workspace_id, 'webhook_disabled', json_build_object('url', url, 'reason', $2::text) FROM disabled
  )
  SELECT workspace_id, url FROM disabled`;
