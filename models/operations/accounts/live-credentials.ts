/** Whether credentials are still valid. The SQL is part of the check of every request; `liveCredentials` checks those of open streams again. */
import { type Database, select } from '../../db/database.js';
import type { Scope } from '../../rules/accounts/api-key.js';
import type { RequestCredential } from '../../rules/audit/origin.js';
import { column, recordset } from '../../tables/columns.js';

/** A credential with a name that the caller chooses. */
export interface NamedCredential extends RequestCredential {
  ref: string;
  workspaceId: string;
}

/** SQL: whether workspace `w` is open, and its JWT with this version and id has not ended. NULL: there is none. */
export const isLiveSession = (version: string, id: string) =>
  `(w.closed_at IS NULL AND (${version} IS NULL OR w.token_version = ${version})
    AND NOT EXISTS (SELECT 1 FROM revoked_tokens r WHERE r.id = ${id}))`;

/**
 * SQL: whether the row `s` of a session, which may be absent, is one of the console that nobody has used for this many hours. Not a part of
 * `isLiveSession`: a request uses its session, so it does not end for this reason while the request runs.
 */
export const isIdle = (hours: string): string =>
  `(s.kind = 'console' AND COALESCE(s.last_used_at, s.created_at) < now() - ${hours} * interval '1 hour') IS TRUE`;

/** SQL: whether the API key with this id is active and has not expired. NULL: there is none. */
export const isLiveKey = (id: string, more = '') =>
  `(${id} IS NULL OR EXISTS (SELECT 1 FROM api_keys k WHERE k.id = ${id} AND k.is_active
    AND (k.expires_at IS NULL OR k.expires_at > clock_timestamp()) ${more}))`;

/**
 * The names of the credentials that are still valid: the key is active, not expired, and has the scope; the JWT was not revoked, and
 * is no session of the console that nobody has used for `idleHours`; the workspace is neither closed nor suspended.
 * The expiry of a JWT is not checked, because that does not change.
 */
export async function liveCredentials(
  db: Database,
  credentials: readonly NamedCredential[],
  { scope, idleHours }: { scope: Scope; idleHours: number },
): Promise<Set<string>> {
  const rows = credentials.map(({ ref, workspaceId, keyId, token }) => ({
    ref,
    workspace_id: workspaceId,
    key_id: keyId,
    token_id: token?.id,
    token_version: token?.version,
  }));
  const live = await select<{ ref: string }>(db, stillLive, [JSON.stringify(rows), scope, idleHours]);
  return new Set(live.map(({ ref }) => ref));
}

const credentialColumns = {
  ref: column.text(),
  workspace_id: column.uuid(),
  key_id: column.uuid(),
  token_id: column.uuid(),
  token_version: column.integer(),
};

const stillLive = `
  SELECT h.ref FROM ${recordset('$1', 'h', credentialColumns)}
  JOIN workspaces w ON w.id = h.workspace_id
  WHERE NOT EXISTS (SELECT 1 FROM suspensions s WHERE s.workspace_id = w.id)
    AND ${isLiveSession('h.token_version', 'h.token_id')} AND ${isLiveKey('h.key_id', 'AND $2 = ANY(k.scopes)')}
    AND NOT EXISTS (SELECT 1 FROM sessions s WHERE s.id = h.token_id AND ${isIdle('$3::integer')})`;
