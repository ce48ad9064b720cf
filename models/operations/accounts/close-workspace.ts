import { type Database, select } from '../../db/database.js';
import type { Origin } from '../../rules/audit/origin.js';
import { recordAuditEvent } from '../audit/record-audit-event.js';
import { enqueueMail } from '../mails/mail-queue.js';
import { asCaller } from './as-caller.js';
import { deleteWebhooks, revokeApiKeys } from './revoke-access.js';
import { deleteSessions, newTokenVersion } from './end-sessions.js';
import { endTotp } from './set-totp.js';

/**
 * Closes an account. When this resolves, its JWTs, keys and webhooks have ended, and its address is free. The watcher then cancels the
 * messages that were not handed off, and removes the owner from what stays, step by step (`settleClosed`). The ledger stays, without a name.
 * @returns the id of the mail that confirms this; null if it was closed already
 * @throws AppError unauthorized if the credential has ended
 */
export function closeWorkspace(db: Database, workspaceId: string, origin: Origin): Promise<string | null> {
  return asCaller(db, workspaceId, origin, async (transaction) => {
    const [workspace] = await select<{ email: string }>(db, close, [workspaceId], transaction);
    if (workspace === undefined) return null;
    const nobody = { ...origin, actor: { ...origin.actor, name: null } };
    await revokeApiKeys(db, transaction, workspaceId, nobody);
    await deleteWebhooks(db, transaction, workspaceId, nobody);
    await deleteSessions(db, transaction, workspaceId);
    await endTotp(db, transaction, { workspaceId }, nobody);
    for (const sql of [voidLinks, dropMails]) await select(db, sql, [workspaceId], transaction);
    const target = { type: 'workspace', id: workspaceId, name: null } as const;
    await recordAuditEvent(db, transaction, nobody, { workspaceId, type: 'workspace.closed', target });
    return enqueueMail(db, transaction, workspaceId, { kind: 'workspace_closed', recipient: workspace.email });
  });
}

/** The new address is random: nobody can sign up with it beforehand and so prevent the end of the account. */
const close = `
  UPDATE workspaces w SET closed_at = now(), token_version = ${newTokenVersion},
    email = 'closed+' || gen_random_uuid() || '@tidings.invalid',
    name = 'Closed workspace', phone = NULL, country = NULL, password_hash = '-', email_verified = false, message_days = 1, updated_at = now()
  FROM (SELECT id, email FROM workspaces WHERE id = $1 AND closed_at IS NULL FOR NO KEY UPDATE) old
  WHERE w.id = old.id RETURNING old.email`;

const voidLinks = 'UPDATE mail_tokens SET used_at = now() WHERE workspace_id = $1 AND used_at IS NULL';
/** A mail with the code 0 is not sent, although no server refused it. */
const dropMails = `
  UPDATE mails SET refused_code = 0, recipient = NULL WHERE workspace_id = $1 AND sent_at IS NULL AND refused_code IS NULL`;

/** Whether a workspace is closed. */
export async function isClosed(db: Database, workspaceId: string): Promise<boolean> {
  return (await select(db, 'SELECT 1 FROM workspaces WHERE id = $1 AND closed_at IS NOT NULL', [workspaceId])).length > 0;
}
