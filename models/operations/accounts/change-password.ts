import { makeId } from '../../rules/values/make-id.js';
import { type Database, inTransaction, select } from '../../db/database.js';
import { wrongPassword } from '../../errors.js';
import { hashPassword } from '../../passwords.js';
import type { Origin } from '../../rules/audit/origin.js';
import { recordAuditEvent } from '../audit/record-audit-event.js';
import { forgetSessions } from './end-sessions.js';
import { voidEmailChanges } from '../mails/issue-mail.js';

/**
 * Sets another password. Every JWT stops working, and a mail notifies the owner.
 * @param knownHash the hash of the present password, which the caller has verified. Of two concurrent changes, the second is refused
 * @returns the id of the mail
 * @throws AppError unauthorized if the password was changed meanwhile, unavailable if too many passwords wait
 */
export async function changePassword(
  db: Database,
  { workspaceId, knownHash, password }: { workspaceId: string; knownHash: string; password: string },
  origin: Origin,
): Promise<string> {
  const hash = await hashPassword(password);
  return inTransaction(db, async (transaction) => {
    const [changed] = await select<{ name: string }>(db, change, [workspaceId, hash, knownHash], transaction);
    if (changed === undefined) throw wrongPassword();
    const target = { type: 'workspace', id: workspaceId, name: changed.name };
    await recordAuditEvent(db, transaction, origin, { workspaceId, type: 'auth.password_changed', target });
    await forgetSessions(db, transaction, workspaceId);
    await voidEmailChanges(db, transaction, workspaceId);
    const mailId = makeId();
    await select(db, tell, [mailId, workspaceId], transaction);
    return mailId;
  });
}

const change = `
  UPDATE workspaces SET password_hash = $2, token_version = token_version + 1, updated_at = now() WHERE id = $1 AND password_hash = $3
  RETURNING name`;
const tell = `INSERT INTO mails (id, workspace_id, kind) VALUES ($1, $2, 'password_changed')`;
