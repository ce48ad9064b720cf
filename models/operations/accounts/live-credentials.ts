/** Whether credentials that were verified earlier are still valid, for what stays open: a stream. */
import { type Database, select } from '../../db/database.js';
import type { Scope } from '../../rules/accounts/api-key.js';
import { isIdle } from './identify-session.js';

/** A credential, as it was when it was verified, with a name that the caller chooses. */
export interface HeldCredential {
  ref: string;
  workspaceId: string;
  /** The API key; null with a JWT. */
  keyId: string | null;
  /** The JWT; null with an API key. Old JWTs have no id. Its expiry is not checked again, because that does not change. */
  token: { id: string | null; version: number } | null;
}

/**
 * The names of the credentials that are still valid: the key is active, not expired, and has the scope; the JWT was not revoked, and
 * is no session of the console that nobody has used for `idleHours`; the workspace is neither closed nor suspended.
 */
export async function liveCredentials(
  db: Database,
  held: readonly HeldCredential[],
  { scope, idleHours }: { scope: Scope; idleHours: number },
): Promise<Set<string>> {
  const rows = held.map(({ ref, workspaceId, keyId, token }) => ({
    ref,
    workspace_id: workspaceId,
    key_id: keyId,
    token_id: token?.id,
    token_version: token?.version,
  }));
  const live = await select<{ ref: string }>(db, stillLive, [JSON.stringify(rows), scope, idleHours]);
  return new Set(live.map(({ ref }) => ref));
}

const stillLive = `
  SELECT h.ref FROM json_to_recordset($1::json) AS h (ref text, workspace_id uuid, key_id uuid, token_id uuid, token_version integer)
  JOIN workspaces w ON w.id = h.workspace_id
  WHERE w.closed_at IS NULL AND NOT EXISTS (SELECT 1 FROM suspensions s WHERE s.workspace_id = w.id) AND CASE WHEN h.key_id IS NULL
    THEN w.token_version = h.token_version AND NOT EXISTS (SELECT 1 FROM revoked_tokens r WHERE r.id = h.token_id)
      AND NOT EXISTS (SELECT 1 FROM sessions s WHERE s.id = h.token_id AND ${isIdle('$3::integer')})
    ELSE EXISTS (
      SELECT 1 FROM api_keys k WHERE k.id = h.key_id AND k.is_active AND $2 = ANY(k.scopes)
        AND (k.expires_at IS NULL OR k.expires_at > clock_timestamp())) END`;
