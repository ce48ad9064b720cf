import { type Database, select } from '../../db/database.js';
import { commonPassword } from '../../errors.js';
import { wrongPassword } from '../../refused-credentials.js';
import { hashPassword } from '../../passwords.js';
import { isMadeOfOwnWords } from '../../rules/accounts/own-words.js';
import type { Origin } from '../../rules/audit/origin.js';
import type { Workspace } from '../../tables/workspace.js';
import { recordAuditEvent } from '../audit/record-audit-event.js';
import { deleteSessions, newTokenVersion } from './end-sessions.js';
import { enqueueMail, voidTokens } from '../mails/mail-queue.js';
import { asCaller } from './as-caller.js';

/**
 * Sets another password. Every JWT and every mailed token for a reset or a change of the address stop working, and a mail notifies the owner.
 * @param workspace with the hash of the present password, which the caller has verified. Of two concurrent changes, the second is refused
 * @returns the id of the mail
 * @throws AppError validation_failed if the password consists of words of the account, unauthorized if it was changed or the credential has
 *   ended meanwhile, unavailable if too many passwords wait
 */
export async function changePassword(
  db: Database,
  { workspace, password }: { workspace: Pick<Workspace, 'id' | 'email' | 'name' | 'password_hash'>; password: string },
  origin: Origin,
): Promise<string> {
  const { id: workspaceId, password_hash: knownHash } = workspace;
  if (isMadeOfOwnWords(password, workspace)) throw commonPassword();
  const hash = await hashPassword(password, workspaceId);
  return asCaller(db, workspaceId, origin, async (transaction) => {
    const [changed] = await select<{ name: string }>(db, change, [workspaceId, hash, knownHash], transaction);
    if (changed === undefined) throw wrongPassword();
    const target = { type: 'workspace', id: workspaceId, name: changed.name } as const;
    await recordAuditEvent(db, transaction, origin, { workspaceId, type: 'auth.password_changed', target });
    await deleteSessions(db, transaction, workspaceId);
    // Somebody else may have requested them, and may read the mails of the owner.
    await voidTokens(db, transaction, workspaceId, 'change_email');
    await voidTokens(db, transaction, workspaceId, 'reset');
    return enqueueMail(db, transaction, workspaceId, { kind: 'password_changed' });
  });
}

const change = `
  UPDATE workspaces SET password_hash = $2, token_version = ${newTokenVersion}, updated_at = now() WHERE id = $1 AND password_hash = $3
  RETURNING name`;
