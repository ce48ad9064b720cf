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
  older: readonly Buffer[];
}

/** The keys with these digests, in the same order, with the standing of their workspaces; null for an unknown key. */
export async function identifyApiKeys(db: Database, presented: readonly PresentedKey[]): Promise<(IdentifiedKey | null)[]> {
  const found = await keysOf(
    db,
    presented.map(({ digest }) => digest),
  );
  const unknown = presented.filter(({ digest, older }) => older.length > 0 && !found.has(nameOf(digest)));
  // An invented key causes reads and no write. The present digest is looked up again, because another request may move the key meanwhile.
  const stored = await keysOf(db, unknown.flatMap(digestsOf));
  for (const { digest, older } of unknown) {
    const former = older.find((each) => stored.has(nameOf(each)));
    const key = stored.get(nameOf(former ?? digest));
    if (key === undefined) continue;
    found.set(nameOf(digest), key);
    if (former !== undefined) await select(db, move, [digest, former]);
  }
  return presented.map(({ digest }) => found.get(nameOf(digest)) ?? null);
}

const digestsOf = ({ digest, older }: PresentedKey) => [digest, ...older];
const nameOf = (digest: Buffer) => digest.toString('base64');

async function keysOf(db: Database, digests: readonly Buffer[]): Promise<Map<string, IdentifiedKey>> {
  if (digests.length === 0) return new Map();
  const different = new Map(digests.map((digest) => [nameOf(digest), digest]));
  const rows = await select<IdentifiedKey & { digest: Buffer }>(db, identify, [[...different.values()]]);
  return new Map(rows.map(({ digest, ...key }) => [nameOf(digest), key]));
}

const move = `UPDATE api_keys SET digest = $1 WHERE digest = $2`;

const identify = `
  SELECT k.digest, k.id, k.name, k.workspace_id, k.scopes, k.is_active AND w.closed_at IS NULL AS is_active, k.last_used_at, ${standing},
    k.expires_at IS NOT NULL AND k.expires_at <= clock_timestamp() AS is_expired, k.allowed_addresses, k.channels,
    (SELECT count(*) FROM webhooks h WHERE h.workspace_id = w.id AND h.deleted_at IS NULL AND h.is_active) AS webhooks
  FROM api_keys k JOIN workspaces w ON w.id = k.workspace_id WHERE k.digest = ANY($1::bytea[])`;
