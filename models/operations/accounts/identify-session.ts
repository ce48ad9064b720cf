import { type Database, select } from '../../db/database.js';
import { standing, type WorkspaceStanding } from '../billing/standing.js';
import { isIdle, isLiveKey, isLiveSession } from './live-credentials.js';

/** What a request needs to know about the workspace of its JWT. */
export interface SessionOwner extends WorkspaceStanding {
  email: string;
  /** The number of active webhooks of the workspace. */
  webhooks: number;
  /** The session is listed: it has a row. */
  is_listed: boolean;
  last_used_at: Date | null;
}

/**
 * The workspace of a JWT; null if the JWT has ended: by itself, with all others, with its workspace, or because nobody used the console.
 * @param tokenVersion the workspace's version when the JWT was issued
 * @param isOfConsole a session of the console ends with its row, which it has from the beginning. A restore of the database may delete the
 *   row, and only the row says when the session was used last
 * @param keyId the API key that made the link to a portal: the link ends with it
 * @param idleHours a session of the console ends after this many hours without use
 */
export async function identifySession(
  db: Database,
  {
    workspaceId,
    tokenId,
    tokenVersion,
    isOfConsole,
    keyId,
    idleHours,
  }: { workspaceId: string; tokenId: string; tokenVersion: number; isOfConsole: boolean; keyId: string | null; idleHours: number },
): Promise<SessionOwner | null> {
  const [owner] = await select<SessionOwner>(db, identify, [workspaceId, tokenVersion, tokenId, keyId, idleHours, isOfConsole]);
  return owner ?? null;
}

const identify = `
  SELECT w.email, ${standing}, s.id IS NOT NULL AS is_listed, s.last_used_at,
    (SELECT count(*) FROM webhooks h WHERE h.workspace_id = w.id AND h.deleted_at IS NULL AND h.is_active) AS webhooks
  FROM workspaces w LEFT JOIN sessions s ON s.id = $3::uuid
  WHERE w.id = $1 AND ${isLiveSession('$2::integer', '$3::uuid')} AND ${isLiveKey('$4::uuid')} AND NOT ${isIdle('$5::integer')}
    AND (s.id IS NOT NULL OR NOT $6::boolean)`;
