import { type Database, select } from '../../db/database.js';
import { digestApiKey, isWellFormedApiKey, prefixOfApiKey, type Scope } from '../../rules/accounts/api-key.js';
import { isUuid } from '../../rules/values/text.js';

/** An API key of any workspace, as an operator sees it. */
export interface FoundKey {
  id: string;
  name: string;
  key_prefix: string;
  scopes: Scope[];
  is_active: boolean;
  expires_at: Date | null;
  last_used_at: Date | null;
  last_used_address: string | null;
  created_at: Date;
  workspace_id: string;
  workspace_name: string;
  workspace_email: string;
}

/**
 * Finds API keys by their id, by a complete key, or by the beginning of one. The newest first.
 * @param secretKeys with which keys are hashed: the present one, and former ones
 * @param text of a part that is longer than a prefix, the prefix counts
 */
export function findApiKeys(db: Database, secretKeys: readonly string[], text: string, limit: number): Promise<FoundKey[]> {
  if (isUuid(text)) return select<FoundKey>(db, findBy('k.id = $1::uuid'), [text, limit]);
  if (isWellFormedApiKey(text)) {
    const digests = secretKeys.map((secretKey) => digestApiKey(secretKey, text));
    return select<FoundKey>(db, findBy('k.digest = ANY($1::bytea[])'), [digests, limit]);
  }
  return select<FoundKey>(db, findBy('k.key_prefix = $1'), [prefixOfApiKey(text), limit]);
}

// A search by prefix is for a person who waits: it reads the whole table.
const findBy = (condition: string) => `
  SELECT k.id, k.name, k.key_prefix, k.scopes, k.is_active, k.expires_at, k.last_used_at, k.last_used_address, k.created_at,
    k.workspace_id, w.name AS workspace_name, w.email AS workspace_email
  FROM api_keys k JOIN workspaces w ON w.id = k.workspace_id WHERE ${condition} ORDER BY k.id DESC LIMIT $2`;
