import type { Config } from '../config.js';
import { type Database, inTransaction, select, type Transaction } from '../database.js';
import { issueMail } from './issue-mail.js';

/** Reset mails that a workspace gets in an hour at most: nobody's mailbox is filled by others asking. */
const mailsAnHourMax = 20;

/**
 * Puts a mail with a reset token into the outbox; older reset tokens of the workspace are void.
 * @returns the id of the mail; null when the address is unknown, or has had its share of mails
 */
export function requestPasswordReset(
  { db, config }: { db: Database; config: Pick<Config, 'secretKey'> },
  email: string,
): Promise<string | null> {
  return inTransaction(db, async (transaction) => {
    // Locked, so that of two requests at once one is the newer.
    const [workspace] = await select<{ id: string }>(db, lockByEmail, [email], transaction);
    if (workspace === undefined || (await hasHadItsShare(db, transaction, workspace.id))) return null;
    return issueMail(db, transaction, config.secretKey, { workspaceId: workspace.id, purpose: 'reset' });
  });
}

const lockByEmail = 'SELECT id FROM workspaces WHERE lower(email) = lower($1) FOR NO KEY UPDATE';

async function hasHadItsShare(db: Database, transaction: Transaction, workspaceId: string): Promise<boolean> {
  const [row] = await select<{ sent: number }>(db, countMails, [workspaceId], transaction);
  return (row?.sent ?? 0) >= mailsAnHourMax;
}

const countMails = `
  SELECT count(*) AS sent FROM mails
  WHERE workspace_id = $1 AND kind = 'reset_password' AND created_at > now() - interval '1 hour'`;
