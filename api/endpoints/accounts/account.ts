/** The account: change its password, change its e-mail address, close it, each with the current password; and send its verification e-mail again. */
import Joi from 'joi';
import { requestEmailChange } from '../../../models/operations/accounts/request-email-change.js';
import { changePassword } from '../../../models/operations/accounts/change-password.js';
import { closeWorkspace } from '../../../models/operations/accounts/close-workspace.js';
import { confirmPassword } from '../../../models/operations/logins/confirm-password.js';
import { requestVerification } from '../../../models/operations/accounts/request-token-mail.js';
import type { Workspace } from '../../../models/tables/workspace.js';
import { withPaddedDuration } from '../../auth/padded-duration.js';
import type { Deps } from '../../deps.js';
import { endpoint } from '../../declare.js';
import type { Caller } from '../../http/caller.js';
import type { Origin } from '../../../models/rules/audit/origin.js';
import { email, messageOnly, newPassword } from '../../http/schemas/schemas.js';
import { startMail } from '../../outside/start-mail.js';
import { requiredText } from '../../http/schemas/validation.js';
import { successTexts } from '../../present/success-texts.js';
import { clientOf } from './client-of.js';
import { assertMayMoveTo } from './may-sign-up.js';
import { attemptDeps } from './password-checks.js';

interface PasswordRequest {
  caller: Caller;
  origin: Origin;
  body: { current_password: string };
}

function confirmCurrentPassword(deps: Deps, { caller: { workspaceId }, origin, body }: PasswordRequest): Promise<Workspace> {
  const given = { workspaceId, password: body.current_password, client: clientOf(deps.config, origin) };
  return confirmPassword(attemptDeps(deps), given, origin);
}

export const changePasswordEndpoint = endpoint({
  id: 'changePassword',
  tag: 'auth',
  method: 'put',
  path: '/api/v1/auth/password',
  summary: 'Change the password; all existing JWTs are revoked',
  auth: 'jwt',
  rate: 'auth',
  body: Joi.object<{ current_password: string; password: string }>({
    current_password: requiredText(),
    password: newPassword(),
  }).required(),
  response: messageOnly,
  async handler(input, deps) {
    const change = { workspace: await confirmCurrentPassword(deps, input), password: input.body.password };
    startMail(deps, await changePassword(deps.db, change, input.origin));
    return { message: successTexts.passwordChanged };
  },
});

export const resendVerificationEndpoint = endpoint({
  id: 'resendVerification',
  tag: 'auth',
  method: 'post',
  path: '/api/v1/auth/resend-verification',
  summary: 'Send the verification e-mail again; the response is the same for every address',
  auth: 'none',
  rate: 'auth',
  body: Joi.object<{ email: string }>({ email: email() }).required(),
  response: messageOnly,
  async handler({ body, logWorkspace }, deps) {
    startMail(deps, await withPaddedDuration(() => requestVerification(deps, body.email, logWorkspace)));
    return { message: successTexts.verificationRequested };
  },
});

export const changeEmailEndpoint = endpoint({
  id: 'changeEmail',
  tag: 'auth',
  method: 'post',
  path: '/api/v1/auth/change-email',
  summary: 'Change the e-mail address; the change takes effect when the token sent to the new address is used',
  auth: 'jwt',
  rate: 'auth',
  body: Joi.object<{ email: string; current_password: string }>({ email: email(), current_password: requiredText() }).required(),
  response: messageOnly,
  async handler(input, deps) {
    assertMayMoveTo(deps.config, input.body.email);
    await confirmCurrentPassword(deps, input);
    const mailIds = await requestEmailChange(deps, input.caller.workspaceId, input.body.email, input.origin);
    for (const mailId of mailIds) startMail(deps, mailId);
    return { message: successTexts.emailChangeRequested };
  },
});

export const closeWorkspaceEndpoint = endpoint({
  id: 'closeWorkspace',
  tag: 'auth',
  method: 'delete',
  path: '/api/v1/auth/workspace',
  summary:
    'Close the account: API keys, JWTs and webhooks stop working immediately, and messages not yet handed to a carrier are cancelled',
  auth: 'jwt',
  rate: 'auth',
  body: Joi.object<{ current_password: string }>({ current_password: requiredText() }).required(),
  response: messageOnly,
  async handler(input, deps) {
    await confirmCurrentPassword(deps, input);
    startMail(deps, await closeWorkspace(deps.db, input.caller.workspaceId, input.origin));
    return { message: successTexts.accountClosed };
  },
});
