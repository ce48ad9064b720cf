import type { Database } from '../../db/database.js';
import { deletePage, forgetPages } from '../../db/delete-page.js';
import { attemptHours } from './login-attempts.js';

/** How many days an address from which somebody logged in stays known. */
const addressDays = 180;

/**
 * Deletes old login data: attempts, known addresses, expired JWTs and sessions, and e-mail changes that were never confirmed.
 * @returns the number of rows
 */
export const forgetLogins = (db: Database): Promise<number> => forgetPages(db, statements);

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
