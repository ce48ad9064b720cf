import type { Database } from '../../db/database.js';
import { notFound } from '../../errors.js';
import { originOfUrl } from '../../rules/audit/changes.js';
import type { Origin } from '../../rules/audit/origin.js';
import { encrypt, reencryptValue } from '../../rules/values/encryption.js';
import { generateWebhookSecret } from '../../rules/webhooks/signed-headers.js';
import { newKeyPair, secretContext, signingKeyContext, Webhook } from '../../tables/webhook.js';
import { asCaller } from '../accounts/as-caller.js';
import { recordAuditEvent } from '../audit/record-audit-event.js';

const nothingOld = { old_secret: null, old_signing_key: null, old_public_key: null };

/**
 * Gives a webhook a new secret, and a new key pair if it has one. The former secret also signs for `overlapHours` (0: it is void immediately);
 * older secrets do not, and neither does one that cannot be decrypted: it would keep the new one from signing. Rotations of one webhook wait for each
 * other, so that every secret that was shown was valid.
 * @param secretKeys the present key, then the earlier ones
 * @throws AppError not_found if the workspace has no such webhook, unauthorized if the credential has ended
 */
export async function rotateSecret(
  db: Database,
  secretKeys: readonly [string, ...string[]],
  { workspaceId, id, overlapHours: wanted }: { workspaceId: string; id: string; overlapHours: number },
  origin: Origin,
): Promise<{ row: Webhook; secret: string }> {
  const { id: found } = await Webhook.owned(workspaceId, id);
  const secret = generateWebhookSecret();
  return asCaller(db, workspaceId, origin, async (transaction) => {
    // Not FOR UPDATE: that would wait for every insert of deliveries, whose transactions may wait for the workspace.
    const webhook = await Webhook.findByPk(found, { transaction, lock: transaction.LOCK.NO_KEY_UPDATE });
    if (webhook === null) throw notFound('Webhook');
    const now = new Date();
    const [secretKey] = secretKeys;
    const overlapHours = canSign(secretKeys, webhook) ? wanted : 0;
    const { secret: old_secret, signing_key: old_signing_key, public_key: old_public_key } = webhook;
    const row = await webhook.update(
      {
        secret: encrypt(secretKey, secretContext(found), secret),
        ...(old_signing_key === null ? {} : newKeyPair(secretKey, found)),
        ...(overlapHours === 0 ? nothingOld : { old_secret, old_signing_key, old_public_key }),
        old_secret_until: overlapHours === 0 ? null : new Date(now.getTime() + overlapHours * 3_600_000),
        updated_at: now,
      },
      { transaction },
    );
    const target = { type: 'webhook', id: found, name: originOfUrl(row.url) } as const;
    const changes = { overlap_hours: overlapHours };
    await recordAuditEvent(db, transaction, origin, { workspaceId, type: 'webhook.secret_rotated', target, changes });
    return { row, secret };
  });
}

/** Whether these keys decrypt what signs for a webhook. */
const canSign = (secretKeys: readonly [string, ...string[]], { id, secret, signing_key }: Webhook): boolean =>
  reencryptValue(secretKeys, secretContext(id), secret) !== null &&
  (signing_key === null || reencryptValue(secretKeys, signingKeyContext(id), signing_key) !== null);
