/** Accounts: sign up, verify the address, log in. */
import Joi from 'joi';
import { signupClosed } from '../../../models/errors.js';
import { logIn } from '../../../models/operations/logins/log-in.js';
import { signUp } from '../../../models/operations/accounts/sign-up.js';
import { verifyEmail } from '../../../models/operations/accounts/verify-email.js';
import type { Origin } from '../../../models/rules/audit/origin.js';
import type { Workspace } from '../../../models/tables/workspace.js';
import { withPaddedFailure } from '../../auth/padded-duration.js';
import type { Deps } from '../../deps.js';
import type { LogWorkspace } from '../../http/endpoint.js';
import { endpoint } from '../../declare.js';
import { presentWorkspace } from '../../present/presenters.js';
import { named } from '../../http/schemas/json-schema.js';
import { country, email, id, name, newPassword, phone } from '../../http/schemas/schemas.js';
import { startMail } from '../../outside/start-mail.js';
import { requiredText, text } from '../../http/schemas/validation.js';
import { admitCheck, attemptDeps } from './password-checks.js';
import { successTexts } from '../../present/success-texts.js';
import { assertMaySignUp } from './may-sign-up.js';
import { newSession } from './new-session.js';
import { clientOf } from './client-of.js';

export const workspaceFields = {
  id: id(),
  name: Joi.string().required(),
  email: Joi.string().required(),
  email_verified: Joi.boolean().required(),
  credits_balance: Joi.number().required(),
};
export const workspaceResponse = named('Workspace', Joi.object(workspaceFields)).required();
const workspaceAndMessage = named('AccountData', Joi.object({ workspace: workspaceResponse, message: Joi.string().required() }));

interface SignUpBody {
  email: string;
  password: string;
  company_name: string;
  phone?: string;
  country?: string;
}

export const signUpEndpoint = endpoint({
  id: 'signUp',
  tag: 'auth',
  method: 'post',
  path: '/api/v1/auth/signup',
  summary: 'Create a workspace',
  auth: 'none',
  rate: 'auth',
  body: Joi.object<SignUpBody>({
    email: email(),
    password: newPassword(),
    company_name: name(),
    phone: phone(),
    country: country(),
  }).required(),
  checkHead(_, { config }) {
    if (config.signup.isClosed) throw signupClosed();
  },
  response: workspaceAndMessage,
  status: 201,
  async handler({ origin, body, logWorkspace }, deps) {
    assertMaySignUp(deps.config, body.email);
    const account = { ...body, phone: body.phone ?? null, country: body.country ?? null, client: clientOf(deps.config, origin) };
    await admitCheck(deps);
    const { workspace, mailId } = await signUp(deps, account, origin);
    logWorkspace(workspace.id);
    startMail(deps, mailId);
    return { workspace: presentWorkspace(workspace), message: successTexts.signedUp };
  },
});

export interface LoginBody {
  email: string;
  password: string;
  code?: string;
}

export const loginBody = Joi.object<LoginBody>({
  email: email(),
  password: requiredText(),
  code: text().empty(['', null]).description('Code of the authenticator app, or a recovery code. Required if TOTP is enabled'),
}).required();

interface LoginRequest {
  body: LoginBody;
  origin: Origin;
  logWorkspace: LogWorkspace;
}

/** The workspace of a login. @throws AppError what `logIn` throws */
export function workspaceOfLogin(deps: Deps, { body, origin, logWorkspace }: LoginRequest): Promise<Workspace> {
  const attempt = { ...body, client: clientOf(deps.config, origin) };
  // The client that has just reset the password gets in while others guess, as the client of an earlier login does.
  const admit = async (isExempt: boolean) => (isExempt ? undefined : admitCheck(deps, attempt));
  return withPaddedFailure(() => logIn({ ...attemptDeps(deps), admit, onAccount: logWorkspace }, attempt, origin));
}

export const logInEndpoint = endpoint({
  id: 'logIn',
  tag: 'auth',
  method: 'post',
  path: '/api/v1/auth/login',
  summary: 'Log in and get a JWT',
  auth: 'none',
  rate: 'auth',
  body: loginBody,
  response: named('LoginData', Joi.object({ workspace: workspaceResponse, token: Joi.string().required() })),
  async handler(input, deps) {
    const workspace = await workspaceOfLogin(deps, input);
    return { workspace: presentWorkspace(workspace), token: await newSession(deps, workspace, 'jwt', input.origin) };
  },
});

export const verifyEmailEndpoint = endpoint({
  id: 'verifyEmail',
  tag: 'auth',
  method: 'post',
  path: '/api/v1/auth/verify-email',
  summary: 'Verify the e-mail address with the token from the e-mail',
  auth: 'none',
  rate: 'auth',
  body: Joi.object<{ token: string }>({ token: requiredText() }).required(),
  response: workspaceAndMessage,
  async handler({ body, origin, logWorkspace }, { db }) {
    const workspace = await verifyEmail(db, body.token, origin);
    logWorkspace(workspace.id);
    return { workspace: presentWorkspace(workspace), message: successTexts.emailVerified };
  },
});
