/** Forgotten passwords. */
import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import Joi from 'joi';
import { requestPasswordReset } from '../../models/operations/request-password-reset.js';
import { resetPassword } from '../../models/operations/reset-password.js';
import type { Deps } from '../deps.js';
import { endpoint } from '../endpoint.js';
import { email, messageOnly, newPassword } from '../schemas.js';
import { requiredText } from '../validation.js';

/** Every answer takes this long, or the next multiple: a known address cannot be told from an unknown one. */
const answerMs = 100;

export const forgotPassword = endpoint({
  id: 'auth.forgot-password',
  method: 'post',
  path: '/api/v1/auth/forgot-password',
  summary: 'Send a mail with a token that resets the password; the answer is the same for every address',
  auth: 'none',
  rate: 'auth',
  body: Joi.object<{ email: string }>({ email: email() }).required(),
  response: messageOnly,
  async handler({ body }, deps) {
    const startedAt = performance.now();
    const mailId = await requestPasswordReset(deps, body.email);
    const elapsedMs = performance.now() - startedAt;
    await sleep(Math.ceil(elapsedMs / answerMs) * answerMs - elapsedMs);
    if (mailId !== null) startMail(deps, mailId);
    return { message: 'If a workspace has this e-mail address, a mail with a link to reset its password is on the way.' };
  },
});

export const setNewPassword = endpoint({
  id: 'auth.reset-password',
  method: 'post',
  path: '/api/v1/auth/reset-password',
  summary: 'Set a new password with the token from the mail; every older JWT stops working',
  auth: 'none',
  rate: 'auth',
  body: Joi.object<{ token: string; password: string }>({ token: requiredText(), password: newPassword() }).required(),
  refusals: [503],
  response: messageOnly,
  async handler({ body, origin }, deps) {
    startMail(deps, await resetPassword(deps.db, body, origin));
    return { message: 'Password has been changed. Please log in again.' };
  },
});

/** Not awaited: the mail is in the outbox, and the watcher sends what Temporal is not told of. */
function startMail({ temporal, logger }: Deps, mailId: string): void {
  void temporal.sendMail(mailId).catch((err: unknown) => logger.warn({ err, mail_id: mailId }, 'mail was not started, the watcher will'));
}
