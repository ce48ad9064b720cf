/** A webhook: where a workspace's events go. Its secret is encrypted at rest and shown once, by whoever made it. */
import { type CreationOptional, DataTypes, type InferAttributes, type Sequelize, type WhereOptions } from 'sequelize';
import { v7 as uuidv7 } from 'uuid';
import { conflict } from './errors.js';
import { Owned } from './owned.js';
import { encrypt } from './rules/encryption.js';
import type { EventType } from './rules/events.js';
import { generateWebhookSecret } from './rules/signature.js';

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
  declare created_at: CreationOptional<Date>;
  declare updated_at: CreationOptional<Date>;
  /** Deleted webhooks keep their row until their deliveries are gone; no query sees them. */
  declare deleted_at: CreationOptional<Date | null>;

  /** Makes and stores a webhook. The returned `secret` is readable nowhere else afterwards, except to whoever signs. */
  static async register(
    secretKey: string,
    {
      workspace_id,
      url,
      events,
      description,
    }: { workspace_id: string; url: string; events: readonly EventType[]; description: string | null },
  ): Promise<{ row: Webhook; secret: string }> {
    const id = uuidv7();
    const secret = generateWebhookSecret();
    const now = new Date();
    const row = await Webhook.create({
      id,
      workspace_id,
      url,
      events: [...events],
      description,
      is_active: true,
      disabled_reason: null,
      secret: encrypt(secretKey, secretContext(id), secret),
      created_at: now,
      updated_at: now,
    });
    return { row, secret };
  }

  /** @throws AppError 409: nothing is sent to an inactive webhook, whoever asks for it */
  assertActive(): void {
    if (!this.is_active) throw conflict('Webhook is inactive. Activate it before sending to it');
  }
}

/** Binds an encrypted secret to its row: bytes copied to another webhook do not open. */
export const secretContext = (webhookId: string) => `webhook:${webhookId}`;

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
      created_at: DataTypes.DATE,
      updated_at: DataTypes.DATE,
      deleted_at: DataTypes.DATE,
    },
    { sequelize, tableName: 'webhooks', defaultScope: { where: notDeleted } },
  );
}
