import { type Database, select } from '../../db/database.js';
import { type Standing, standing } from '../billing/standing.js';

/** What a request needs to know about the workspace of its JWT. */
export interface SessionOwner extends Standing {
  email: string;
  /** The number of active webhooks of the workspace. */
  webhooks: number;
  /** The session is listed: it has a row. */
  is_listed: boolean;
  last_used_at: Date | null;
}

/** SQL: whether the row `s` of a session, which may be absent, is one of the console that nobody has used for so many hours. */
export const isIdle = (hours: string): string =>
  `(s.kind = 'console' AND COALESCE(s.last_used_at, s.created_at) < now() - ${hours} * interval '1 hour') IS TRUE`;

/**
 * The workspace of a JWT; null if the JWT has ended: by itself, with all others, with its workspace, or because nobody used the console.
 * @param tokenVersion the workspace's version when the JWT was issued
 * @param idleHours after so many hours without use, a session of the console ends
 */
export async function identifySession(
  db: Database,
  {
    workspaceId,
    tokenId,
    tokenVersion,
    idleHours,
  }: { workspaceId: string; tokenId: string | null; tokenVersion: number; idleHours: number },
): Promise<SessionOwner | null> {
  const [owner] = await select<SessionOwner>(db, identify, [workspaceId, tokenVersion, tokenId, idleHours]);
  return owner ?? null;
}

const identify = `
  SELECT w.email, ${standing}, s.id IS NOT NULL AS is_listed, s.last_used_at,
    (SELECT count(*) FROM webhooks h WHERE h.workspace_id = w.id AND h.deleted_at IS NULL AND h.is_active) AS webhooks
  FROM workspaces w LEFT JOIN sessions s ON s.id = $3::uuid
  WHERE w.id = $1 AND w.token_version = $2 AND w.closed_at IS NULL AND NOT EXISTS (SELECT 1 FROM revoked_tokens WHERE id = $3::uuid)
    AND NOT ${isIdle('$4::integer')}`;
