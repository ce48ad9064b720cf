import { type Database, select } from '../../db/database.js';
import type { Channel } from '../../channels.js';
import type { Scope } from '../../rules/accounts/api-key.js';
import { type WorkspaceStanding, standing } from '../billing/standing.js';

/** What a request needs to know about its API key. Every request reads it again, without a cache, so that a revocation takes effect at once. */
export interface IdentifiedKey extends WorkspaceStanding {
  id: string;
  name: string;
  workspace_id: string;
  scopes: Scope[];
  /** False also in a closed workspace. */
  is_active: boolean;
  /** By the database's clock, when the key is read. */
  is_expired: boolean;
  /** Networks from which the key may be used; null: all. */
  allowed_addresses: string[] | null;
  /** Channels on which the key may send; null: all. */
  channels: Channel[] | null;
  last_used_at: Date | null;
  /** The number of active webhooks of the workspace. */
  webhooks: number;
}

/** A key as a request presents it. */
export interface PresentedKey {
  digest: Buffer;
  /** Digests of the same key under earlier secret keys. A key that is stored under one of them moves to `digest`. */
  older?: readonly Buffer[];
}

/** The keys with these digests, in the same order, with the standing of their workspaces; null for an unknown key. */
export async function identifyApiKeys(db: Database, presented: readonly PresentedKey[]): Promise<(IdentifiedKey | null)[]> {
  const found = await keysOf(db, presented);
  const unknown = presented.filter(({ digest, older = [] }) => older.length > 0 && !found.has(nameOf(digest)));
  const stored = await storedAnyhow(db, unknown);
  if (stored.length > 0) {
    await moveToPresent(db, stored);
    for (const [name, key] of await keysOf(db, stored)) found.set(name, key);
  }
  return presented.map(({ digest }) => found.get(nameOf(digest)) ?? null);
}

const nameOf = (digest: Buffer) => digest.toString('base64');

async function keysOf(db: Database, presented: readonly PresentedKey[]): Promise<Map<string, IdentifiedKey>> {
  const digests = new Map(presented.map(({ digest }) => [nameOf(digest), digest]));
  const rows = await select<IdentifiedKey & { digest: Buffer }>(db, identify, [[...digests.values()]]);
  return new Map(rows.map(({ digest, ...key }) => [nameOf(digest), key]));
}

/**
 * Selects the digests that exist: an invented key causes a read and no write. One statement checks both digests, because another request
 * may move the key meanwhile.
 */
async function storedAnyhow(db: Database, presented: readonly PresentedKey[]): Promise<PresentedKey[]> {
  const digests = presented.flatMap(({ digest, older = [] }) => [digest, ...older]);
  if (digests.length === 0) return [];
  const rows = await select<{ digest: Buffer }>(db, exist, [digests]);
  const stored = new Set(rows.map(({ digest }) => nameOf(digest)));
  return presented.filter(({ digest, older = [] }) => [digest, ...older].some((each) => stored.has(nameOf(each))));
}

const exist = `SELECT digest FROM api_keys WHERE digest = ANY($1::bytea[])`;

async function moveToPresent(db: Database, presented: readonly PresentedKey[]): Promise<void> {
  for (const { digest, older = [] } of presented) for (const old of older) await select(db, move, [digest, old]);
}

const move = `UPDATE api_keys SET digest = $1 WHERE digest = $2`;

const identify = `
  SELECT k.digest, k.id, k.name, k.workspace_id, k.scopes, k.is_active AND w.closed_at IS NULL AS is_active, k.last_used_at, ${standing},
    k.expires_at IS NOT NULL AND k.expires_at <= clock_timestamp() AS is_expired, k.allowed_addresses, k.channels,
    (SELECT count(*) FROM webhooks h WHERE h.workspace_id = w.id AND h.deleted_at IS NULL AND h.is_active) AS webhooks
  FROM api_keys k JOIN workspaces w ON w.id = k.workspace_id WHERE k.digest = ANY($1::bytea[])`;
