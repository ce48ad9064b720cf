/** A webhook: where a workspace's events go. Its secret is encrypted at rest and shown once, by whoever made it. */
import { type Transaction, type WhereOptions } from 'sequelize';
import { column, type Columns, nullable, type RowOf, withDefault } from './columns.js';
import { v7 as uuidv7 } from 'uuid';
import { conflict } from '../errors.js';
import { ownedOf } from './owned.js';
import { encrypt } from '../rules/values/encryption.js';
import type { EventType } from '../rules/webhooks/events.js';
import { generateWebhookSecret } from '../rules/webhooks/signature.js';
import { generateSigningKey } from '../rules/webhooks/signing-key.js';

/** What an owner says of a new webhook. */
export interface NewWebhook {
  workspace_id: string;
  url: string;
  events: EventType[];
  description: string | null;
  retry_delays?: number[] | null;
  rate?: number | null;
  ordered?: boolean;
  /** Signed with an ed25519 key pair too. */
  asymmetric?: boolean;
}

/** The present key pair of a webhook, as stored: its private half encrypted. */
export interface StoredKeyPair {
  signing_key: Buffer;
  public_key: string;
}

export const webhookColumns = {
  id: column.uuid(),
  workspace_id: column.uuid(),
  url: column.text(),
  events: column.texts<EventType>(),
  description: nullable(column.text()),
  is_active: withDefault(column.boolean()),
  disabled_reason: withDefault(nullable(column.text())),
  secret: column.bytes(),
  /** The secret before the last rotation; signs too until `old_secret_until`. */
  old_secret: withDefault(nullable(column.bytes())),
  old_secret_until: withDefault(nullable(column.timestamp())),
  /** Ed25519 key pairs where the owner asked for one, encrypted and rotated as the secrets are. */
  signing_key: withDefault(nullable(column.bytes())),
  public_key: withDefault(nullable(column.text())),
  old_signing_key: withDefault(nullable(column.bytes())),
  old_public_key: withDefault(nullable(column.text())),
  /** Seconds before each further attempt; null: `WEBHOOK_RETRY_DELAYS`. */
  retry_delays: withDefault(nullable(column.integers())),
  /** Deliveries a second; null: as fast as the endpoint answers. */
  rate: withDefault(nullable(column.double())),
  /** One delivery at a time, in the order of the events. */
  ordered: withDefault(column.boolean()),
  // See operations/webhooks/settle-deliveries.ts: pending deliveries of a revision before `held_revision` are held.
  revision: withDefault(column.integer()),
  held_revision: withDefault(column.integer()),
  settled_revision: withDefault(column.integer()),
  // How the endpoint has been doing, written by note-health.ts and retriers.ts.
  failures: withDefault(column.integer()),
  failing_since: withDefault(nullable(column.timestamp())),
  resume_at: withDefault(nullable(column.timestamp())),
  pause_seconds: withDefault(nullable(column.double())),
  carrier_looks_at: withDefault(nullable(column.timestamp())),
  created_at: withDefault(column.timestamp()),
  updated_at: withDefault(column.timestamp()),
  /** Deleted webhooks keep their row until their deliveries are gone; no query sees them. */
  deleted_at: withDefault(nullable(column.timestamp())),
} satisfies Columns;

export class Webhook extends ownedOf(webhookColumns) {
  static override readonly resource = 'Webhook';

  /** Makes and stores a webhook. The returned `secret` is readable nowhere else afterwards, except to whoever signs. */
  static async register(
    secretKey: string,
    { asymmetric = false, ...wanted }: NewWebhook,
    transaction?: Transaction,
  ): Promise<{ row: Webhook; secret: string }> {
    const id = uuidv7();
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

  /** @throws AppError 409: nothing is sent to an inactive webhook, whoever asks for it */
  assertActive(): void {
    if (!this.is_active) throw conflict('Webhook is inactive. Activate it before sending to it');
  }
}

/** Binds an encrypted secret to its row: bytes copied to another webhook do not open. */
export const secretContext = (webhookId: string) => `webhook:${webhookId}`;

/** The same for the private half of its key pair. */
export const signingKeyContext = (webhookId: string) => `webhook-signing-key:${webhookId}`;

export function newKeyPair(secretKey: string, webhookId: string): StoredKeyPair {
  const { signingKey, publicKey } = generateSigningKey();
  return { signing_key: encrypt(secretKey, signingKeyContext(webhookId), signingKey), public_key: publicKey };
}

export const notDeleted: WhereOptions<RowOf<typeof webhookColumns>> = { deleted_at: null };
