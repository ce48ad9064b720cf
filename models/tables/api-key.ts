/** API keys. Only a keyed hash is stored: the key is shown once, by `issue`. */
import { type CreationOptional, DataTypes, type Sequelize, type Transaction } from 'sequelize';
import { v7 as uuidv7 } from 'uuid';
import type { Channel } from '../channels.js';
import { Owned } from './owned.js';
import { digestApiKey, generateApiKey, prefixOfApiKey, type Scope } from '../rules/accounts/api-key.js';

/** What an owner says of a new key. */
export interface NewApiKey {
  workspace_id: string;
  name: string;
  scopes: readonly Scope[];
  /** Null: never. */
  expires_at?: Date | null;
  /** Networks (CIDR) that it works from; null: everywhere. */
  allowed_addresses?: string[] | null;
  /** Channels that it may send by; null: all. */
  channels?: Channel[] | null;
}

export class ApiKey extends Owned<ApiKey> {
  static override readonly resource = 'API key';
  declare name: string;
  declare digest: Buffer;
  declare key_prefix: string;
  declare scopes: Scope[];
  declare is_active: CreationOptional<boolean>;
  declare last_used_at: CreationOptional<Date | null>;
  declare last_used_address: CreationOptional<string | null>;
  declare expires_at: CreationOptional<Date | null>;
  declare allowed_addresses: CreationOptional<string[] | null>;
  declare channels: CreationOptional<Channel[] | null>;
  declare created_at: CreationOptional<Date>;

  /** Makes and stores a key. The returned `key` exists nowhere else afterwards. */
  static async issue(
    secretKey: string,
    { workspace_id, name, scopes, expires_at = null, allowed_addresses = null, channels = null }: NewApiKey,
    transaction?: Transaction,
  ): Promise<{ row: ApiKey; key: string }> {
    const key = generateApiKey();
    const values = {
      id: uuidv7(),
      workspace_id,
      name,
      digest: digestApiKey(secretKey, key),
      key_prefix: prefixOfApiKey(key),
      scopes: [...scopes],
      expires_at,
      allowed_addresses,
      channels,
      is_active: true,
      last_used_at: null,
      last_used_address: null,
      created_at: new Date(),
    };
    const row = await ApiKey.create(values, { transaction: transaction ?? null });
    return { row, key };
  }
}

export function initApiKey(sequelize: Sequelize): void {
  ApiKey.init(
    {
      id: { type: DataTypes.UUID, primaryKey: true },
      workspace_id: DataTypes.UUID,
      name: DataTypes.TEXT,
      digest: DataTypes.BLOB,
      key_prefix: DataTypes.TEXT,
      scopes: DataTypes.ARRAY(DataTypes.TEXT),
      is_active: DataTypes.BOOLEAN,
      last_used_at: DataTypes.DATE,
      last_used_address: DataTypes.TEXT,
      expires_at: DataTypes.DATE,
      allowed_addresses: DataTypes.ARRAY(DataTypes.TEXT),
      channels: DataTypes.ARRAY(DataTypes.TEXT),
      created_at: DataTypes.DATE,
    },
    { sequelize, tableName: 'api_keys' },
  );
}
