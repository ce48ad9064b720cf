import { type Database, select } from '../../db/database.js';
import { type WorkspaceStanding, standing } from '../billing/standing.js';

/** What a request needs to know about the workspace of its JWT. */
export interface SessionOwner extends WorkspaceStanding {
  email: string;
  /** The number of active webhooks of the workspace. */
  webhooks: number;
}

/**
 * The workspace of a JWT; null if the JWT has ended: by itself, with all others, or with its workspace.
 * @param tokenVersion the workspace's version when the JWT was issued
 */
export async function identifySession(
  db: Database,
  { workspaceId, tokenId, tokenVersion }: { workspaceId: string; tokenId: string | null; tokenVersion: number },
): Promise<SessionOwner | null> {
  const [owner] = await select<SessionOwner>(db, identify, [workspaceId, tokenVersion, tokenId]);
  return owner ?? null;
}

const identify = `
  SELECT w.email, ${standing},
    (SELECT count(*) FROM webhooks h WHERE h.workspace_id = w.id AND h.deleted_at IS NULL AND h.is_active) AS webhooks
  FROM workspaces w
  WHERE w.id = $1 AND w.token_version = $2 AND w.closed_at IS NULL AND NOT EXISTS (SELECT 1 FROM revoked_tokens WHERE id = $3::uuid)`;
