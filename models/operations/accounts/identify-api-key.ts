import { type Database, select } from '../../db/database.js';
import type { Channel } from '../../channels.js';
import type { Scope } from '../../rules/accounts/api-key.js';
import { type Standing, standing } from '../billing/standing.js';

/** What a request needs to know of its API key: asked for anew by every request, never cached, so that a revocation holds at once. */
export interface IdentifiedKey extends Standing {
  id: string;
  name: string;
  workspace_id: string;
  scopes: Scope[];
  is_active: boolean;
  /** By the database's clock, at the moment of the question. */
  is_expired: boolean;
  /** Networks that it works from; null: everywhere. */
  allowed_addresses: string[] | null;
  /** Channels that it may send by; null: all. */
  channels: Channel[] | null;
  last_used_at: Date | null;
  /** Active webhooks of the workspace. */
  webhooks: number;
}

/** A key as a request presents it. */
export interface PresentedKey {
  digest: Buffer;
  /** Digests of the same key by secret keys that came before: where it is stored under one of them, it moves to `digest`. */
  older?: readonly Buffer[];
}

/** The keys stored under these digests, in their order, with the standing of their workspaces; null where there is none. */
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
 * Those of them that there are: a key that was invented is asked for and writes nothing. Both digests are looked at in one statement, as
 * another request may move the key meanwhile.
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
  SELECT k.digest, k.id, k.name, k.workspace_id, k.scopes, k.is_active, k.last_used_at, ${standing},
    k.expires_at IS NOT NULL AND k.expires_at <= clock_timestamp() AS is_expired, k.allowed_addresses, k.channels,
    (SELECT count(*) FROM webhooks h WHERE h.workspace_id = w.id AND h.deleted_at IS NULL AND h.is_active) AS webhooks
  FROM api_keys k JOIN workspaces w ON w.id = k.workspace_id WHERE k.digest = ANY($1::bytea[])`;
