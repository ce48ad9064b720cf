import { type Database, inTransaction, select } from '../database.js';
import type { EventType } from '../rules/events.js';
import { Webhook } from '../webhook.js';

/** What an owner may change; what is undefined stays. */
export interface WebhookChange {
  url: string | undefined;
  events: EventType[] | undefined;
  is_active: boolean | undefined;
  /** null clears it. */
  description: string | null | undefined;
}

/**
 * Changes a webhook. Activating it forgets why it was disabled; deactivating it holds what was not delivered yet, so
 * that nothing goes out by itself afterwards.
 * @throws AppError 404 when the workspace has no such webhook
 */
export async function updateWebhook(db: Database, workspaceId: string, id: string, change: WebhookChange): Promise<Webhook> {
  const webhook = await Webhook.owned(workspaceId, id);
  const given = Object.fromEntries(Object.entries(change).filter(([, value]) => value !== undefined));
  const cleared = change.is_active === true ? { disabled_reason: null } : {};
  return inTransaction(db, async (transaction) => {
    if (change.is_active === false) await select(db, holdPending, [id], transaction);
    return webhook.update({ ...given, ...cleared, updated_at: new Date() }, { transaction });
  });
}

const holdPending = `UPDATE deliveries SET status = 'held', next_attempt_at = NULL WHERE webhook_id = $1 AND status = 'pending'`;
