import { type Database, inTransaction, select } from '../../db/database.js';
import { originOfUrl } from '../../rules/audit/changes.js';
import { systemOrigin } from '../../rules/audit/origin.js';
import { recordAuditEvent } from '../audit/record-audit-event.js';
import { enqueueNotice } from '../mails/mail-queue.js';
import { holdsPending } from '../deliveries/settle-deliveries.js';

/** What a webhook is disabled for. The owner may have changed the webhook meanwhile. */
export interface DisablingCause {
  /** The URL that failed. */
  url: string;
  /** For how long the endpoint must have acknowledged nothing. By default its answer alone is enough. */
  failingSeconds?: number;
}

/**
 * Stops sending to a webhook. Its pending deliveries are held and can be replayed. Does nothing if the webhook is inactive already, has another
 * URL, or, when it is disabled for failing too long, has got another chance. The time does not depend on the number of deliveries.
 *
 * A mail notifies the owner, unless the owner has reached the limit of mails: the address may belong to another person, whose mailbox must not
 * be flooded by repeated activations of the webhook.
 * @param reason a sentence without its full stop
 * @returns whether it was disabled now
 */
export function disableWebhook(db: Database, webhookId: string, reason: string, cause: DisablingCause): Promise<boolean> {
  const bind = [webhookId, reason, cause.url, cause.failingSeconds ?? 0];
  return inTransaction(db, async (transaction) => {
    const [disabled] = await select<{ workspace_id: string; url: string }>(db, disable, bind, transaction);
    if (disabled === undefined) return false;
    const { workspace_id: workspaceId } = disabled;
    // The rest of the URL may contain a token, or words for the person at an address that nobody has verified.
    const url = originOfUrl(disabled.url);
    await enqueueNotice(db, transaction, workspaceId, { kind: 'webhook_disabled', detail: { url, reason } });
    const target = { type: 'webhook', id: webhookId, name: url } as const;
    const event = { workspaceId, type: 'webhook.disabled', target, changes: { reason } } as const;
    await recordAuditEvent(db, transaction, systemOrigin('deliveries'), event);
    return true;
  });
}

const disable = `
  UPDATE webhooks SET is_active = false, disabled_reason = $2, updated_at = now(), ${holdsPending}
  WHERE id = $1 AND is_active AND url = $3
    AND ($4::double precision = 0 OR failing_since <= now() - $4::double precision * interval '1 second') RETURNING workspace_id, url`;
