import type { Config } from '../../settings/config.js';
import { type Database, inTransaction, select } from '../../db/database.js';
import { hasHadItsShare, issueMail } from '../mails/issue-mail.js';

/**
 * Puts another mail with a verification token into the outbox; older ones are void.
 * @returns the id of the mail; null when the address is unknown or verified, or has had its share of mails
 */
export function requestVerification(
  { db, config }: { db: Database; config: Pick<Config, 'secretKey'> },
  email: string,
): Promise<string | null> {
  return inTransaction(db, async (transaction) => {
    const [workspace] = await select<{ id: string; email_verified: boolean }>(db, lockByEmail, [email], transaction);
    if (workspace === undefined || workspace.email_verified) return null;
    if (await hasHadItsShare(db, transaction, workspace.id, 'verify_email')) return null;
    return issueMail(db, transaction, config.secretKey, { workspaceId: workspace.id, purpose: 'verify' });
  });
}

const lockByEmail = 'SELECT id, email_verified FROM workspaces WHERE lower(email) = lower($1) FOR NO KEY UPDATE';
