/** Mails with a token that anyone can request for an address. */
import type { Config } from '../../settings/config.js';
import { type Database, inTransaction, select } from '../../db/database.js';
import { enqueueTokenMail, hasReachedMailLimit, mailKindOf } from '../mails/mail-queue.js';

/**
 * Puts a mail with a token into the outbox, and voids older tokens of the workspace for the same purpose.
 * @param onAccount called with the workspace of the address, if there is one
 * @returns the id of the mail; null if the address is unknown or has reached the limit of mails, or if it is to be verified and is already
 */
type RequestTokenMail = (
  deps: { db: Database; config: Pick<Config, 'secretKey'> },
  email: string,
  onAccount: (workspaceId: string) => void,
) => Promise<string | null>;

const requestFor =
  (purpose: 'reset' | 'verify'): RequestTokenMail =>
  ({ db, config }, email, onAccount) =>
    inTransaction(db, async (transaction) => {
      // The lock serializes concurrent requests, so that one token is the newer.
      const [workspace] = await select<{ id: string; email_verified: boolean }>(db, lockByEmail, [email], transaction);
      if (workspace === undefined) return null;
      onAccount(workspace.id);
      if (purpose === 'verify' && workspace.email_verified) return null;
      if (await hasReachedMailLimit(db, transaction, workspace.id, mailKindOf[purpose])) return null;
      return enqueueTokenMail(db, transaction, config.secretKey, { workspaceId: workspace.id, purpose });
    });

const lockByEmail = 'SELECT id, email_verified FROM workspaces WHERE lower(email) = lower($1) FOR NO KEY UPDATE';

/** Requests a mail with a token that resets the password. */
export const requestPasswordReset = requestFor('reset');

/** Requests another mail with a token that verifies the address. */
export const requestVerification = requestFor('verify');
