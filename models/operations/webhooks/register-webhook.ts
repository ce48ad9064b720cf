import type { Config } from '../../settings/config.js';
import type { Database, Transaction } from '../../db/database.js';
import { originOfUrl } from '../../rules/audit/changes.js';
import type { Origin } from '../../rules/audit/origin.js';
import { type NewWebhook, Webhook } from '../../tables/webhook.js';
import { recordAuditEvent } from '../audit/record-audit-event.js';
import { withinQuota } from '../workspaces/within-quota.js';

/**
 * Creates a webhook at its owner's request. The returned `secret` is shown once.
 * @throws AppError limit_reached if the workspace has the maximum number of webhooks, unauthorized if the owner's credential has ended
 */
export function registerWebhook(
  db: Database,
  { secretKey, quotas }: Pick<Config, 'secretKey' | 'quotas'>,
  wanted: NewWebhook,
  origin: Origin,
): Promise<{ row: Webhook; secret: string }> {
  const quota = { workspaceId: wanted.workspace_id, of: 'webhooks', max: quotas.webhooks } as const;
  const register = async (transaction: Transaction) => {
    const made = await Webhook.register(secretKey, wanted, transaction);
    const { id, workspace_id: workspaceId, url, events } = made.row;
    const target = { type: 'webhook', id, name: originOfUrl(url) } as const;
    await recordAuditEvent(db, transaction, origin, { workspaceId, type: 'webhook.created', target, changes: { events } });
    return made;
  };
  return withinQuota(db, quota, register, origin);
}
