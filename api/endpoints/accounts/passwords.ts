/** Password resets by e-mail. */
import Joi from 'joi';
import { requestPasswordReset } from '../../../models/operations/accounts/request-token-mail.js';
import { resetPassword } from '../../../models/operations/accounts/reset-password.js';
import { withPaddedDuration } from '../../auth/padded-duration.js';
import { endpoint } from '../../declare.js';
import { email, messageOnly, newPassword } from '../../http/schemas/schemas.js';
import { startMail } from '../../outside/start-mail.js';
import { requiredText } from '../../http/schemas/validation.js';
import { successTexts } from '../../present/success-texts.js';
import { clientOf } from './client-of.js';

export const requestPasswordResetEndpoint = endpoint({
  id: 'requestPasswordReset',
  tag: 'auth',
  method: 'post',
  path: '/api/v1/auth/forgot-password',
  summary: 'Request a password reset by e-mail; the response is the same for every address',
  auth: 'none',
  rate: 'auth',
  body: Joi.object<{ email: string }>({ email: email() }).required(),
  response: messageOnly,
  async handler({ body, logWorkspace }, deps) {
    startMail(deps, await withPaddedDuration(() => requestPasswordReset(deps, body.email, logWorkspace)));
    return { message: successTexts.resetRequested };
  },
});

export const resetPasswordEndpoint = endpoint({
  id: 'resetPassword',
  tag: 'auth',
  method: 'post',
  path: '/api/v1/auth/reset-password',
  summary: 'Set a new password with the token from the e-mail; all existing JWTs are revoked',
  auth: 'none',
  rate: 'auth',
  body: Joi.object<{ token: string; password: string; revoke_api_keys: boolean }>({
    token: requiredText(),
    password: newPassword(),
    revoke_api_keys: Joi.boolean().empty(null).default(false).description('Also revoke every API key of the workspace. Default: false'),
  }).required(),
  response: messageOnly,
  async handler({ body, origin, logWorkspace }, deps) {
    const { revoke_api_keys: revokeApiKeys, ...rest } = body;
    const reset = { ...rest, revokeApiKeys, client: clientOf(deps.config, origin) };
    const { mailId, workspaceId } = await resetPassword(deps, reset, origin);
    logWorkspace(workspaceId);
    startMail(deps, mailId);
    return { message: successTexts.passwordChanged };
  },
});
