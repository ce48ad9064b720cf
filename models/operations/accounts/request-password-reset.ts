import type { Config } from '../../settings/config.js';
import { type Database, inTransaction, select } from '../../db/database.js';
import { hasReachedMailLimit, issueMail } from '../mails/issue-mail.js';

/**
 * Puts a mail with a reset token into the outbox, and voids older reset tokens of the workspace.
 * @param onAccount called with the workspace of the address, if there is one
 * @returns the id of the mail; null if the address is unknown or has reached the limit of mails
 */
export function requestPasswordReset(
  { db, config }: { db: Database; config: Pick<Config, 'secretKey'> },
  email: string,
  onAccount: (workspaceId: string) => void,
): Promise<string | null> {
  return inTransaction(db, async (transaction) => {
    // The lock serializes concurrent requests, so that one token is the newer.
    const [workspace] = await select<{ id: string }>(db, lockByEmail, [email], transaction);
    if (workspace === undefined) return null;
    onAccount(workspace.id);
    if (await hasReachedMailLimit(db, transaction, workspace.id, 'reset_password')) return null;
    return issueMail(db, transaction, config.secretKey, { workspaceId: workspace.id, purpose: 'reset' });
  });
}

const lockByEmail = 'SELECT id FROM workspaces WHERE lower(email) = lower($1) FOR NO KEY UPDATE';
