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

/**
 * The key stored under this digest, with its workspace's balance; null when there is none.
 * @param older digests of the same key by secret keys that came before: where it is stored under one of them, it moves to `digest`
 */
export async function identifyApiKey(db: Database, digest: Buffer, older: readonly Buffer[] = []): Promise<IdentifiedKey | null> {
  const [row] = await select<IdentifiedKey>(db, identify, [digest]);
  if (row !== undefined) return row;
  for (const old of older) if ((await select(db, move, [digest, old])).length > 0) return identifyApiKey(db, digest);
  return null;
}

const move = `UPDATE api_keys SET digest = $1 WHERE digest = $2 RETURNING id`;

const identify = `
  SELECT k.id, k.workspace_id, k.scopes, k.is_active, k.last_used_at, w.balance
  FROM api_keys k JOIN workspaces w ON w.id = k.workspace_id WHERE k.digest = $1`;
