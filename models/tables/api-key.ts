/** API keys. Only a keyed hash is stored. `issue` returns the key once. */
import { type Transaction } from 'sequelize';
import { column, type Columns, nullable, withDefault } from './columns.js';
import { makeId } from '../rules/values/make-id.js';
import type { Channel } from '../channels.js';
import { ownedOf } from './owned.js';
import { digestApiKey, generateApiKey, prefixOfApiKey, type Scope } from '../rules/accounts/api-key.js';

/** The fields of a new key. */
export interface NewApiKey {
  workspace_id: string;
  name: string;
  scopes: readonly Scope[];
  /** Null: it never expires. */
  expires_at?: Date | null;
  /** Networks (CIDR) from which it may be used; null: all. */
  allowed_addresses?: string[] | null;
  /** Channels on which it may send; null: all. */
  channels?: Channel[] | null;
}

const apiKeyColumns = {
  id: column.uuid(),
  workspace_id: column.uuid(),
  name: column.text(),
  digest: column.bytes(),
  key_prefix: column.text(),
  scopes: column.texts<Scope>(),
  is_active: withDefault(column.boolean()),
  last_used_at: withDefault(nullable(column.timestamp())),
  last_used_address: withDefault(nullable(column.text())),
  expires_at: withDefault(nullable(column.timestamp())),
  allowed_addresses: withDefault(nullable(column.texts())),
  channels: withDefault(nullable(column.texts<Channel>())),
  created_at: withDefault(column.timestamp()),
} satisfies Columns;

export class ApiKey extends ownedOf(apiKeyColumns) {
  static override readonly resource = 'API key';

  /** Creates and stores a key. The returned `key` is stored nowhere. */
  static async issue(
    secretKey: string,
    { workspace_id, name, scopes, expires_at = null, allowed_addresses = null, channels = null }: NewApiKey,
    transaction?: Transaction,
  ): Promise<{ row: ApiKey; key: string }> {
    const key = generateApiKey();
    const values = {
      id: makeId(),
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
