import { type Database, select } from '../../db/database.js';
import { changesBetween, originOfUrl } from '../../rules/audit/changes.js';
import type { Origin } from '../../rules/audit/origin.js';
import type { EventType } from '../../rules/webhooks/events.js';
import { type StoredKeyPair, Webhook } from '../../tables/webhook.js';
import { asCaller } from '../accounts/as-caller.js';
import { recordAuditEvent } from '../audit/record-audit-event.js';
import { holdsPending, makesWaitingDue } from '../deliveries/settle-deliveries.js';
import { definedFields } from '../../rules/values/defined-fields.js';

/** What an owner may change. Undefined fields are unchanged. */
export interface WebhookChange {
  url?: string | undefined;
  events?: EventType[] | undefined;
  is_active?: boolean | undefined;
  /** null removes it, also in the following fields. */
  description?: string | null | undefined;
  retry_delays?: number[] | null | undefined;
  rate?: number | null | undefined;
  ordered?: boolean | undefined;
  frame_ancestors?: string[] | null | undefined;
  /** Makes a key pair for asymmetric signatures. It is stored only if there is none; null removes it. @param webhookId the id in the row */
  keyPair?: ((webhookId: string) => StoredKeyPair) | null | undefined;
}

const noKeyPairs = { signing_key: null, public_key: null, old_signing_key: null, old_public_key: null };

/** The state of an endpoint without failures. Its retrier may be asleep and must be woken. */
const healthy = { failures: 0, failing_since: null, failed_at: null, resume_at: null, pause_seconds: null, carrier_looks_at: null };

/**
 * Changes a webhook. Activation clears the reason why it was disabled. Activation and a new URL both clear the health of its endpoint:
 * deliveries that waited for a further attempt are due now, at the start of their retry schedule, and are left to the retrier. Deactivation
 * holds the undelivered deliveries, so that nothing is sent automatically afterwards. All this takes effect immediately, and takes the same
 * time for any number of deliveries: the retrier, which the caller must wake, settles their rows.
 * @throws AppError not_found if the workspace has no such webhook, unauthorized if the credential has ended
 */
export function updateWebhook(
  db: Database,
  workspaceId: string,
  id: string,
  { keyPair, ...change }: WebhookChange,
  origin: Origin,
): Promise<Webhook> {
  const given: Partial<Pick<Webhook, keyof typeof change>> = definedFields(change);
  return asCaller(db, workspaceId, origin, async (transaction) => {
    const webhook = await Webhook.owned(workspaceId, id, transaction);
    // An attempt that ends at this moment writes to the row too. Without the lock, its values could survive the change as if they were newer.
    await webhook.reload({ transaction, lock: transaction.LOCK.NO_KEY_UPDATE });
    const before = auditedOf(webhook);
    const clearsHealth = (change.url !== undefined && change.url !== webhook.url) || change.is_active === true;
    const cleared = {
      ...(change.is_active === true ? { disabled_reason: null } : {}),
      ...(clearsHealth ? healthy : {}),
      ...(keyPair === null ? noKeyPairs : {}),
    };
    if (change.is_active === false) await select(db, hold, [id], transaction);
    else if (clearsHealth) await select(db, tryAgain, [id], transaction);
    if (keyPair) await Webhook.update(keyPair(webhook.id), { where: { id, signing_key: null }, transaction });
    const updated = await webhook.update({ ...given, ...cleared, updated_at: new Date() }, { transaction });
    await updated.reload({ transaction });
    const target = { type: 'webhook', id, name: originOfUrl(updated.url) } as const;
    const changes = changesBetween(before, auditedOf(updated), ['description', 'path']);
    if (Object.keys(changes).length > 0)
      await recordAuditEvent(db, transaction, origin, { workspaceId, type: 'webhook.updated', target, changes });
    return updated;
  });
}

/** The fields that the owner can change. Only the origin of the URL is recorded, because the rest may contain a token. */
const auditedOf = ({ url, description, events, is_active, retry_delays, rate, ordered, public_key, frame_ancestors }: Webhook) => ({
  url: originOfUrl(url),
  path: url.slice(originOfUrl(url).length),
  events,
  is_active,
  description,
  retry_delays,
  rate,
  ordered,
  asymmetric: public_key !== null,
  frame_ancestors,
});

/** An inactive webhook holds all its deliveries already. */
const hold = `UPDATE webhooks SET ${holdsPending} WHERE id = $1 AND is_active`;
const tryAgain = `UPDATE webhooks SET ${makesWaitingDue} WHERE id = $1`;
