import { type Database, select } from '../../db/database.js';
import { standing, type WorkspaceStanding } from '../billing/standing.js';
import { keyLasts, sessionLasts } from './live-credentials.js';

/** What a request needs to know about the workspace of its JWT. */
export interface SessionOwner extends WorkspaceStanding {
  email: string;
  /** The number of active webhooks of the workspace. */
  webhooks: number;
}

/**
 * The workspace of a JWT; null if the JWT has ended: by itself, with all others, or with its workspace.
 * @param tokenVersion the workspace's version when the JWT was issued
 * @param keyId the API key that made the link to a portal: the link ends with it
 */
export async function identifySession(
  db: Database,
  {
    workspaceId,
    tokenId,
    tokenVersion,
    keyId,
  }: { workspaceId: string; tokenId: string | null; tokenVersion: number; keyId: string | null },
): Promise<SessionOwner | null> {
  const [owner] = await select<SessionOwner>(db, identify, [workspaceId, tokenVersion, tokenId, keyId]);
  return owner ?? null;
}

const identify = `
  SELECT w.email, ${standing},
    (SELECT count(*) FROM webhooks h WHERE h.workspace_id = w.id AND h.deleted_at IS NULL AND h.is_active) AS webhooks
  FROM workspaces w
  WHERE w.id = $1 AND ${sessionLasts('$2::integer', '$3::uuid')} AND ${keyLasts('$4::uuid')}`;
