import { type Database, select } from '../database.js';
import type { Scope } from '../rules/api-key.js';

/** What a request needs to know of its API key: one query, never cached, so that a revocation holds at once. */
export interface IdentifiedKey {
  id: string;
  workspace_id: string;
  scopes: Scope[];
  is_active: boolean;
  last_used_at: Date | null;
  /** Balance of the workspace, in thousandths of a credit. */
  balance: number;
}

/** The key stored under this digest, with its workspace's balance; null when there is none. */
export async function identifyApiKey(db: Database, digest: Buffer): Promise<IdentifiedKey | null> {
  const [row] = await select<IdentifiedKey>(db, identify, [digest]);
  return row ?? null;
}

const identify = `
  SELECT k.id, k.workspace_id, k.scopes, k.is_active, k.last_used_at, w.balance
  FROM api_keys k JOIN workspaces w ON w.id = k.workspace_id WHERE k.digest = $1`;
