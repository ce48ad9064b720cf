import { digestApiKey } from '../../models/rules/accounts/api-key.js';
import { query } from '../postgres/postgres.js';
import type { DemoState } from './demo-state.js';

/**
 * Whether the stored key of the demo workspace still works: people close that account in the console, or revoke its key. The stored password is not
 * checked: after its owner has changed it in the console, the stored one remains the old one.
 */
export async function demoWorks(databaseUrl: string, secretKeys: readonly string[], { email, api_key: key }: DemoState): Promise<boolean> {
  const digests = secretKeys.map((secretKey) => digestApiKey(secretKey, key));
  return (await query(databaseUrl, active, [email, digests])).length > 0;
}

const active = `
  SELECT 1 FROM workspaces w JOIN api_keys k ON k.workspace_id = w.id
  WHERE lower(w.email) = $1 AND k.digest = ANY($2::bytea[]) AND k.is_active AND (k.expires_at IS NULL OR k.expires_at > now())`;
