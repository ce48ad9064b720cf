/** A webhook: where a workspace's events go. Its secret is encrypted at rest and shown once, by whoever made it. */
import { type CreationOptional, DataTypes, type InferAttributes, type Sequelize, type Transaction, type WhereOptions } from 'sequelize';
import { v7 as uuidv7 } from 'uuid';
import { conflict } from '../errors.js';
import { Owned } from './owned.js';
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

export class Webhook extends Owned<Webhook> {
  static override readonly resource = 'Webhook';
  declare url: string;
  declare events: EventType[];
  declare description: string | null;
  declare is_active: CreationOptional<boolean>;
  declare disabled_reason: CreationOptional<string | null>;
  declare secret: Buffer;
  /** The secret before the last rotation; signs too until `old_secret_until`. */
  declare old_secret: CreationOptional<Buffer | null>;
  declare old_secret_until: CreationOptional<Date | null>;
  /** Ed25519 key pairs where the owner asked for one, encrypted and rotated as the secrets are. */
  declare signing_key: CreationOptional<Buffer | null>;
  declare public_key: CreationOptional<string | null>;
  declare old_signing_key: CreationOptional<Buffer | null>;
  declare old_public_key: CreationOptional<string | null>;
  /** Seconds before each further attempt; null: `WEBHOOK_RETRY_DELAYS`. */
  declare retry_delays: CreationOptional<number[] | null>;
  /** Deliveries a second; null: as fast as the endpoint answers. */
  declare rate: CreationOptional<number | null>;
  /** One delivery at a time, in the order of the events. */
  declare ordered: CreationOptional<boolean>;
  // See operations/webhooks/settle-deliveries.ts: pending deliveries of a revision before `held_revision` are held.
  declare revision: CreationOptional<number>;
  declare held_revision: CreationOptional<number>;
  declare settled_revision: CreationOptional<number>;
  // How the endpoint has been doing, written by note-health.ts and carried-deliveries.ts.
  declare failures: CreationOptional<number>;
  declare failing_since: CreationOptional<Date | null>;
  declare resume_at: CreationOptional<Date | null>;
  declare pause_seconds: CreationOptional<number | null>;
  declare carrier_looks_at: CreationOptional<Date | null>;
  declare created_at: CreationOptional<Date>;
  declare updated_at: CreationOptional<Date>;
  /** Deleted webhooks keep their row until their deliveries are gone; no query sees them. */
  declare deleted_at: CreationOptional<Date | null>;

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

const notDeleted: WhereOptions<InferAttributes<Webhook>> = { deleted_at: null };

export function initWebhook(sequelize: Sequelize): void {
  Webhook.init(
    {
      id: { type: DataTypes.UUID, primaryKey: true },
      workspace_id: DataTypes.UUID,
      url: DataTypes.TEXT,
      events: DataTypes.ARRAY(DataTypes.TEXT),
      description: DataTypes.TEXT,
      is_active: DataTypes.BOOLEAN,
      disabled_reason: DataTypes.TEXT,
      secret: DataTypes.BLOB,
      old_secret: DataTypes.BLOB,
      old_secret_until: DataTypes.DATE,
      signing_key: DataTypes.BLOB,
      public_key: DataTypes.TEXT,
      old_signing_key: DataTypes.BLOB,
      old_public_key: DataTypes.TEXT,
      retry_delays: DataTypes.ARRAY(DataTypes.INTEGER),
      rate: DataTypes.DOUBLE,
      ordered: DataTypes.BOOLEAN,
      revision: DataTypes.INTEGER,
      held_revision: DataTypes.INTEGER,
      settled_revision: DataTypes.INTEGER,
      failures: DataTypes.INTEGER,
      failing_since: DataTypes.DATE,
      resume_at: DataTypes.DATE,
      pause_seconds: DataTypes.DOUBLE,
      carrier_looks_at: DataTypes.DATE,
      created_at: DataTypes.DATE,
      updated_at: DataTypes.DATE,
      deleted_at: DataTypes.DATE,
    },
    { sequelize, tableName: 'webhooks', defaultScope: { where: notDeleted } },
  );
}
