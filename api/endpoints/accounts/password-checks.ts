/** Password checks cost much CPU. Clients that have never logged in to the account share a rate limit; known clients are not limited by it. */
import { AppError } from '../../../models/errors.js';
import { isKnownClient } from '../../../models/operations/logins/is-known-client.js';
import type { LoginAttemptDeps } from '../../../models/operations/logins/note-failed-attempt.js';
import type { ClientDigests } from '../../../models/rules/accounts/login-digest.js';
import type { Deps } from '../../deps.js';
import { noHeaders } from '../../http/rate-limit.js';
import { startMail } from '../../outside/start-mail.js';

/** The dependencies of operations that verify passwords or codes. */
export const attemptDeps = (deps: Deps): LoginAttemptDeps => ({
  db: deps.db,
  config: deps.config,
  onMail: (mailId) => startMail(deps, mailId),
});

/**
 * Counts one password check of a client without a session.
 * @param known the account and the client; a client that has logged in to this account before is not limited
 * @throws AppError 429 when the limit of unknown clients is used up
 */
export async function admitCheck({ limiter, db }: Deps, known?: { email: string; client: ClientDigests }): Promise<void> {
  try {
    await limiter.consume({ rateClass: 'login', key: 'all' }, noHeaders);
  } catch (error) {
    if (!(error instanceof AppError) || known === undefined || !(await isKnownClient(db, known.email, known.client))) throw error;
  }
}
