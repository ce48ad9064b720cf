import type { Database } from '../../db/database.js';
import { deletePage, forgetPages } from '../../db/delete-page.js';

/** How many days the mails of an account are kept, and the tokens of their links after they have expired. */
const mailDays = 30;

/**
 * Deletes old mails of the outbox, which name client addresses and keys, and old tokens. A notice that still waits for the mail server is kept.
 * @returns the number of mails without a link, and of tokens, whose mails are deleted with them
 */
export const forgetMails = (db: Database): Promise<number> => forgetPages(db, statements);

const statements = [
  deletePage('mail_tokens', 'id', `expires_at < now() - interval '${mailDays} days'`),
  deletePage(
    'mails',
    'id',
    `token_id IS NULL AND (sent_at IS NOT NULL OR refused_code IS NOT NULL) AND created_at < now() - interval '${mailDays} days'`,
  ),
];
