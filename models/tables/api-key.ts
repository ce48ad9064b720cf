/** API keys. Only a keyed hash is stored. `issue` returns the key once. */
import { type Transaction } from 'sequelize';
import { column, type Columns, type NewRowOf, nullable, nullsOf, omissibleIn, personal, type RowOf, withDefault } from './columns.js';
import { makeId } from '../rules/values/make-id.js';
import type { Channel } from '../channels.js';
import { ownedOf } from './owned.js';
import { digestApiKey, generateApiKey, prefixOfApiKey, type Scope } from '../rules/accounts/api-key.js';

/** What the owner chooses for a key, beside its expiry. A rotation copies these columns. */
const chosenColumns = {
  name: personal(column.text()),
  scopes: column.texts<Scope>(),
  /** Networks (CIDR) from which it may be used; null: all. */
  allowed_addresses: personal(withDefault(nullable(column.texts()))),
  /** Channels on which it may send; null: all. */
  channels: withDefault(nullable(column.texts<Channel>())),
} satisfies Columns;

/** `personal`: empty after the closing of the account. */
export const apiKeyColumns = {
  id: column.uuid(),
  workspace_id: column.uuid(),
  ...chosenColumns,
  digest: column.bytes(),
  key_prefix: column.text(),
  is_active: withDefault(column.boolean()),
  last_used_at: withDefault(nullable(column.timestamp())),
  last_used_address: personal(withDefault(nullable(column.text()))),
  /** Null: it never expires. */
  expires_at: withDefault(nullable(column.timestamp())),
  created_at: withDefault(column.timestamp()),
} satisfies Columns;

/** The fields of a new key. */
export type NewApiKey = Omit<NewRowOf<typeof chosenColumns>, 'scopes'> & {
  workspace_id: string;
  scopes: readonly Scope[];
  expires_at?: Date | null;
};

const chosenNames = Object.keys(chosenColumns) as (keyof typeof chosenColumns)[];

/** What was chosen for this key, for the one that replaces it. */
export const chosenFieldsOf = (row: RowOf<typeof chosenColumns>): RowOf<typeof chosenColumns> =>
  Object.fromEntries(chosenNames.map((name) => [name, row[name]])) as RowOf<typeof chosenColumns>;

export class ApiKey extends ownedOf(apiKeyColumns) {
  static override readonly resource = 'API key';

  /** Creates and stores a key. The returned `key` is stored nowhere. */
  static async issue(
    secretKey: string,
    { workspace_id, scopes, expires_at = null, ...chosen }: NewApiKey,
    transaction?: Transaction,
  ): Promise<{ row: ApiKey; key: string }> {
    const key = generateApiKey();
    const values = {
      id: makeId(),
      workspace_id,
      ...nullsOf(omissibleIn(chosenColumns)),
      ...chosen,
      digest: digestApiKey(secretKey, key),
      key_prefix: prefixOfApiKey(key),
      scopes: [...scopes],
      expires_at,
      is_active: true,
      last_used_at: null,
      last_used_address: null,
      created_at: new Date(),
    };
    const row = await ApiKey.create(values, { transaction: transaction ?? null });
    return { row, key };
  }
}
