import type { Config } from '../../settings/config.js';
import { type Database, inTransaction, select } from '../../db/database.js';
import { hasReachedMailLimit, issueMail } from '../mails/issue-mail.js';

/**
 * Puts another mail with a verification token into the outbox, and voids older ones.
 * @param onAccount called with the workspace of the address, if there is one
 * @returns the id of the mail; null if the address is unknown, verified already, or has reached the limit of mails
 */
export function requestVerification(
  { db, config }: { db: Database; config: Pick<Config, 'secretKey'> },
  email: string,
  onAccount: (workspaceId: string) => void,
): Promise<string | null> {
  return inTransaction(db, async (transaction) => {
    const [workspace] = await select<{ id: string; email_verified: boolean }>(db, lockByEmail, [email], transaction);
    if (workspace === undefined) return null;
    onAccount(workspace.id);
    if (workspace.email_verified || (await hasReachedMailLimit(db, transaction, workspace.id, 'verify_email'))) return null;
    return issueMail(db, transaction, config.secretKey, { workspaceId: workspace.id, purpose: 'verify' });
  });
}

const lockByEmail = 'SELECT id, email_verified FROM workspaces WHERE lower(email) = lower($1) FOR NO KEY UPDATE';
