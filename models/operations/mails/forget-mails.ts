import { type Database, select } from '../../db/database.js';
import { deletePage } from '../../db/delete-page.js';

/** How many days the mails of an account are kept, and the tokens of their links after they have expired. */
const mailDays = 30;
/** How many rows one statement deletes. */
const page = 1_000;

/**
 * Deletes old mails of the outbox, which name client addresses and keys, and old tokens. A notice that still waits for the mail server is kept.
 * @returns the number of mails without a link, and of tokens, whose mails are deleted with them
 */
export async function forgetMails(db: Database): Promise<number> {
  let forgotten = 0;
  for (const sql of statements) forgotten += (await select(db, sql, [page])).length;
  return forgotten;
}

const statements = [
  deletePage('mail_tokens', 'id', `expires_at < now() - interval '${mailDays} days'`),
  deletePage(
    'mails',
    'id',
    `token_id IS NULL AND (sent_at IS NOT NULL OR refused_code IS NOT NULL) AND created_at < now() - interval '${mailDays} days'`,
  ),
];
