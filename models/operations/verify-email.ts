import { type Database, inTransaction, select } from '../database.js';
import { invalidMailToken } from '../errors.js';
import { actingAs, type Origin } from '../rules/audit/origin.js';
import { digestMailToken } from '../rules/mail-token.js';
import { Workspace } from '../workspace.js';
import { recordAuditEvent } from './audit/record-audit-event.js';

/**
 * Uses up a verification token: its workspace is verified from now on.
 * @throws AppError 400 for a token that is unknown, used, voided by a newer one, or expired
 */
export function verifyEmail(db: Database, token: string, origin: Origin): Promise<Workspace> {
  return inTransaction(db, async (transaction) => {
    const [used] = await select<{ workspace_id: string }>(db, useToken, [digestMailToken(token)], transaction);
    if (used === undefined) throw invalidMailToken();
    const [, [workspace]] = await Workspace.update(
      { email_verified: true, updated_at: new Date() },
      { where: { id: used.workspace_id }, returning: true, transaction },
    );
    if (workspace === undefined) throw invalidMailToken();
    const { id, name } = workspace;
    const event = { workspaceId: id, type: 'workspace.email_verified', target: { type: 'workspace', id, name } } as const;
    await recordAuditEvent(db, transaction, actingAs(origin, workspace), event);
    return workspace;
  });
}

// Of two at once the second waits for the row and then finds it used.
const useToken = `
  UPDATE mail_tokens SET used_at = now()
  WHERE digest = $1 AND purpose = 'verify' AND used_at IS NULL AND expires_at > now()
  RETURNING workspace_id`;
