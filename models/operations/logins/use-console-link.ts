import { type Database, inTransaction, select } from '../../db/database.js';
import type { ConsoleLink } from '../../rules/accounts/console-link.js';
import { actingAs, type Origin } from '../../rules/audit/origin.js';
import { Workspace } from '../../tables/workspace.js';
import { recordAuditEvent } from '../audit/record-audit-event.js';

/**
 * Uses a link of the launcher, once.
 * @returns the workspace to log in to; null if the link was used already, or there is no such workspace
 */
export async function useConsoleLink(db: Database, link: ConsoleLink, origin: Origin): Promise<Workspace | null> {
  const workspace = await Workspace.byEmail(link.email); // before the transaction, which would wait for a second connection
  if (workspace === null) return null;
  const { id: workspaceId, name } = workspace;
  return inTransaction(db, async (transaction) => {
    // Of two concurrent uses, the second waits for the row of the first and then inserts nothing.
    const used = await select(db, use, [link.id, workspaceId, link.expiresAt], transaction);
    if (used.length === 0) return null;
    const target = { type: 'workspace', id: workspaceId, name } as const;
    await recordAuditEvent(db, transaction, actingAs(origin, workspace), { workspaceId, type: 'auth.login', target });
    return workspace;
  });
}

/** A used link is kept until it would have expired, like the tokens of ended sessions. */
const use = 'INSERT INTO revoked_tokens (id, workspace_id, expires_at) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING RETURNING id';
