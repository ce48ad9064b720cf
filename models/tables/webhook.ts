/** A webhook: the endpoint for a workspace's events. Its secret is stored encrypted, and is shown once when it is created. */
import { type Transaction, type WhereOptions } from 'sequelize';
import { inactiveWebhook } from '../conflicts.js';
import { column, type Columns, nullable, personal, type RowOf, withDefault } from './columns.js';
import { makeId } from '../rules/values/make-id.js';
import { ownedOf } from './owned.js';
import { encrypt } from '../rules/values/encryption.js';
import type { EventType } from '../rules/webhooks/events.js';
import { generateWebhookSecret } from '../rules/webhooks/signed-headers.js';
import { generateSigningKey } from '../rules/webhooks/signing-key.js';

/** How events are delivered. Undefined leaves a setting as it is, null restores its default. */
export interface DeliverySettings {
  retry_delays?: number[] | null;
  rate?: number | null;
  ordered?: boolean;
  /** Events are signed with an ed25519 key pair too. */
  asymmetric?: boolean;
  frame_ancestors?: string[] | null;
}

/** The fields of a new webhook. */
export interface NewWebhook extends DeliverySettings {
  workspace_id: string;
  url: string;
  events: EventType[];
  description: string | null;
}

/** The present key pair of a webhook, as stored: the private key is encrypted. */
export interface StoredKeyPair {
  signing_key: Buffer;
  public_key: string;
}

/** `personal`: empty after the closing of the account. */
export const webhookColumns = {
  id: column.uuid(),
  workspace_id: column.uuid(),
  url: personal(column.text()),
  events: column.texts<EventType>(),
  description: personal(nullable(column.text())),
  is_active: withDefault(column.boolean()),
  disabled_reason: withDefault(nullable(column.text())),
  secret: column.bytes(),
  /** The secret before the last rotation. It signs too until `old_secret_until`. */
  old_secret: withDefault(nullable(column.bytes())),
  old_secret_until: withDefault(nullable(column.timestamp())),
  /** Ed25519 key pairs, if the owner chose them; encrypted and rotated like the secrets. */
  signing_key: withDefault(nullable(column.bytes())),
  public_key: withDefault(nullable(column.text())),
  old_signing_key: withDefault(nullable(column.bytes())),
  old_public_key: withDefault(nullable(column.text())),
  /** Seconds before each further attempt; null: `WEBHOOK_RETRY_DELAYS`. */
  retry_delays: withDefault(nullable(column.integers())),
  /** Attempts per second; null: as fast as the endpoint answers. */
  rate: withDefault(nullable(column.double())),
  /** One delivery at a time, in the order of the events. */
  ordered: withDefault(column.boolean()),
  /** Origins of the sites that may show its portal in a frame; null: none. */
  frame_ancestors: personal(withDefault(nullable(column.texts()))),
  /** The slots up to this time are taken, if there is a rate. See operations/deliveries/reserve-webhook-slots.ts. */
  paced_until: withDefault(nullable(column.timestamp())),
  // See operations/deliveries/settle-deliveries.ts: pending deliveries with a revision below `held_revision` are held.
  revision: withDefault(column.integer()),
  held_revision: withDefault(column.integer()),
  settled_revision: withDefault(column.integer()),
  // The health of the endpoint, written by note-health.ts, and when its retrier looks next, written by retriers.ts.
  failures: withDefault(column.integer()),
  failing_since: withDefault(nullable(column.timestamp())),
  failed_at: withDefault(nullable(column.timestamp())),
  resume_at: withDefault(nullable(column.timestamp())),
  pause_seconds: withDefault(nullable(column.double())),
  carrier_looks_at: withDefault(nullable(column.timestamp())),
  created_at: withDefault(column.timestamp()),
  updated_at: withDefault(column.timestamp()),
  /** The row of a deleted webhook stays until its deliveries are deleted. The model leaves it out; SQL statements must do so themselves. */
  deleted_at: withDefault(nullable(column.timestamp())),
} satisfies Columns;

export class Webhook extends ownedOf(webhookColumns) {
  static override readonly resource = 'Webhook';

  /** Creates and stores a webhook. The returned `secret` is not shown again. */
  static async register(
    secretKey: string,
    { asymmetric = false, ...wanted }: NewWebhook,
    transaction?: Transaction,
  ): Promise<{ row: Webhook; secret: string }> {
    const id = makeId();
    const secret = generateWebhookSecret();
    const now = new Date();
    const values = {
      id,
      ...wanted,
      is_active: true,
      disabled_reason: null,
      secret: encrypt(secretKey, secretContext(id), secret),
      ...(asymmetric ? newKeyPair(secretKey, id) : {}),
      created_at: now,
      updated_at: now,
    };
    const row = await Webhook.create(values, { transaction: transaction ?? null });
    return { row, secret };
  }

  /** @throws AppError conflict if the webhook is inactive, because nothing may be sent to it */
  assertActive(): void {
    if (!this.is_active) throw inactiveWebhook();
  }
}

/** Binds an encrypted secret to its row. Its bytes cannot be decrypted in another webhook's row. */
export const secretContext = (webhookId: string) => `webhook:${webhookId}`;

/** The same for the private key of its key pair. */
export const signingKeyContext = (webhookId: string) => `webhook-signing-key:${webhookId}`;

export function newKeyPair(secretKey: string, webhookId: string): StoredKeyPair {
  const { signingKey, publicKey } = generateSigningKey();
  return { signing_key: encrypt(secretKey, signingKeyContext(webhookId), signingKey), public_key: publicKey };
}

export const notDeleted: WhereOptions<RowOf<typeof webhookColumns>> = { deleted_at: null };
