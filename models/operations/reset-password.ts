import { v7 as uuidv7 } from 'uuid';
import { type Database, inTransaction, select } from '../database.js';
import { invalidMailToken } from '../errors.js';
import { hashPassword } from '../passwords.js';
import { actingAs, type Origin } from '../rules/audit/origin.js';
import { digestMailToken } from '../rules/mail-token.js';
import { recordAuditEvent } from './audit/record-audit-event.js';

/**
 * Uses up a reset token: the workspace has this password from now on, every JWT from before stops working, and its owner is told
 * by mail.
 * @returns the id of that mail
 * @throws AppError 400 for a token that is unknown, used, voided by a newer one, or expired
 */
export function resetPassword(db: Database, { token, password }: { token: string; password: string }, origin: Origin): Promise<string> {
  return inTransaction(db, async (transaction) => {
    const [used] = await select<{ workspace_id: string }>(db, useToken, [digestMailToken(token)], transaction);
    if (used === undefined) throw invalidMailToken();
    // While this is hashed others with the same token wait for the row; none of them hashes anything.
    const hash = await hashPassword(password);
    const [workspace] = await select<{ id: string; email: string; name: string }>(db, setPassword, [used.workspace_id, hash], transaction);
    if (workspace === undefined) throw invalidMailToken();
    const target = { type: 'workspace', id: workspace.id, name: workspace.name };
    const event = { workspaceId: workspace.id, type: 'auth.password_reset', target } as const;
    await recordAuditEvent(db, transaction, actingAs(origin, workspace), event);
    const mailId = uuidv7();
    await select(
      db,
      `INSERT INTO mails (id, workspace_id, kind) VALUES ($1, $2, 'password_changed')`,
      [mailId, used.workspace_id],
      transaction,
    );
    return mailId;
  });
}

const useToken = `
  UPDATE mail_tokens SET used_at = now()
  WHERE digest = $1 AND purpose = 'reset' AND used_at IS NULL AND expires_at > now()
  RETURNING workspace_id`;

const setPassword = `
  UPDATE workspaces SET password_hash = $2, token_version = token_version + 1, updated_at = now() WHERE id = $1
  RETURNING id, email, name`;
