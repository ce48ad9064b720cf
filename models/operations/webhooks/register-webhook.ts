import { type Database, inTransaction } from '../../database.js';
import { originOfUrl } from '../../rules/audit/changes.js';
import type { Origin } from '../../rules/audit/origin.js';
import { type NewWebhook, Webhook } from '../../webhook.js';
import { recordAuditEvent } from '../audit/record-audit-event.js';

/** Makes a webhook, as its owner asks. The returned `secret` is shown once. */
export function registerWebhook(
  db: Database,
  secretKey: string,
  wanted: NewWebhook,
  origin: Origin,
): Promise<{ row: Webhook; secret: string }> {
  return inTransaction(db, async (transaction) => {
    const made = await Webhook.register(secretKey, wanted, transaction);
    const { id, workspace_id: workspaceId, url, events } = made.row;
    const target = { type: 'webhook', id, name: originOfUrl(url) };
    await recordAuditEvent(db, transaction, origin, { workspaceId, type: 'webhook.created', target, changes: { events } });
    return made;
  });
}
