import { type Database, inTransaction, select, type Transaction } from '../../db/database.js';
import { invalidMailToken } from '../../errors.js';
import { actingAs, type Origin } from '../../rules/audit/origin.js';
import { digestMailToken } from '../../rules/accounts/mail-token.js';
import { Workspace } from '../../tables/workspace.js';
import { whyTokenInvalid } from '../mails/why-token-invalid.js';
import { recordAuditEvent } from '../audit/record-audit-event.js';
import { lockWorkspaceOf } from './as-caller.js';
import { refuseTakenEmail } from './refuse-taken-email.js';

/**
 * Uses a token that was sent to an address. The address becomes the verified address of its workspace.
 * @throws AppError validation_failed if the token is unknown, used, expired or voided by a newer one; email_exists if another workspace has
 *   the address now
 */
export function verifyEmail(db: Database, token: string, origin: Origin): Promise<Workspace> {
  return refuseTakenEmail(() => inTransaction(db, (transaction) => verify(db, transaction, token, origin)));
}

async function verify(db: Database, transaction: Transaction, token: string, origin: Origin): Promise<Workspace> {
  const digest = digestMailToken(token);
  await lockWorkspaceOf(db, transaction, digest); // before the token, as where a token is voided
  const [used] = await select<{ workspace_id: string; email: string | null }>(db, useToken, [digest], transaction);
  if (used === undefined) throw invalidMailToken(await whyTokenInvalid(db, digest, ['verify', 'change_email'], transaction));
  const [, [workspace]] = await Workspace.update(
    { email_verified: true, updated_at: new Date(), ...(used.email === null ? {} : { email: used.email }) },
    { where: { id: used.workspace_id }, returning: true, transaction },
  );
  if (workspace === undefined) throw invalidMailToken();
  const { id, name } = workspace;
  if (used.email !== null) await select(db, voidAll, [id], transaction);
  const type = used.email === null ? 'workspace.email_verified' : 'workspace.email_changed';
  const event = { workspaceId: id, type, target: { type: 'workspace', id, name } } as const;
  await recordAuditEvent(db, transaction, actingAs(origin, workspace), event);
  return workspace;
}

/** Voids the tokens that were sent to the former address. */
const voidAll = 'UPDATE mail_tokens SET used_at = now(), email = NULL WHERE workspace_id = $1 AND used_at IS NULL';

// A concurrent use waits for the row, and then finds the token used.
const useToken = `
  UPDATE mail_tokens t SET used_at = now(), email = NULL
  FROM (SELECT id, email FROM mail_tokens WHERE digest = $1 FOR UPDATE) old
  WHERE t.id = old.id AND t.purpose IN ('verify', 'change_email') AND t.used_at IS NULL AND t.expires_at > now()
  RETURNING t.workspace_id, old.email`;
