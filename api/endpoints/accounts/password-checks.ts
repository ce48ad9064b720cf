/** Passwords cost a processor's time: strangers together get a part of it, those who are known the rest. */
import { AppError } from '../../../models/errors.js';
import { isKnownClient } from '../../../models/operations/accounts/known-client.js';
import { noHeaders } from '../../auth/auth-sites.js';
import type { Deps } from '../../deps.js';

/**
 * Counts a check of a password by somebody who is not logged in.
 * @param known whose login it is, and from where: a client that has logged in there before is never refused
 * @throws AppError 429 when the share of strangers is used up
 */
export async function admitCheck({ limiter, db }: Deps, known?: { email: string; client: Buffer }): Promise<void> {
  try {
    await limiter.consume({ rateClass: 'login', key: 'all' }, noHeaders);
  } catch (error) {
    if (!(error instanceof AppError) || known === undefined || !(await isKnownClient(db, known.email, known.client))) throw error;
  }
}
