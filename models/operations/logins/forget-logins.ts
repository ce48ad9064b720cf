import { type Database, select } from '../../db/database.js';
import { deletePage } from '../../db/delete-page.js';
import { attemptHours } from './login-attempts.js';

/** How many days an address from which somebody logged in stays known. */
const addressDays = 180;
/** How many rows one statement deletes. */
const page = 1_000;

/**
 * Deletes old login data: attempts, known addresses, expired JWTs and sessions, and e-mail changes that were never confirmed.
 * @returns the number of rows
 */
export async function forgetLogins(db: Database): Promise<number> {
  let forgotten = 0;
  for (const sql of statements) forgotten += (await select(db, sql, [page])).length;
  return forgotten;
}

const statements = [
  deletePage(
    'login_tries',
    'digest',
    `last_at < now() - interval '${attemptHours} hours' AND (spared_until IS NULL OR spared_until < now())`,
  ),
  deletePage('login_addresses', 'workspace_id, digest', `last_at < now() - interval '${addressDays} days'`),
  deletePage('revoked_tokens', 'id', `expires_at < now() - interval '1 hour'`), // the processes that check tokens have clocks of their own
  deletePage('sessions', 'id', 'expires_at < now()'),
  `UPDATE mail_tokens SET email = NULL
   WHERE id IN (SELECT id FROM mail_tokens WHERE email IS NOT NULL AND expires_at < now() LIMIT $1) RETURNING 1`,
];
