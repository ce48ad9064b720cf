/** Accounts: sign up, verify the address, log in. */
import Joi from 'joi';
import { logIn } from '../../models/operations/log-in.js';
import { signUp } from '../../models/operations/sign-up.js';
import { verifyEmail } from '../../models/operations/verify-email.js';
import { issueToken } from '../authenticate.js';
import { endpoint } from '../endpoint.js';
import { presentWorkspace } from '../presenters.js';
import { country, email, id, name, newPassword, phone } from '../schemas.js';
import { requiredText } from '../validation.js';

const workspaceResponse = Joi.object({
  id: id(),
  name: Joi.string().required(),
  email: Joi.string().required(),
  email_verified: Joi.boolean().required(),
  credits_balance: Joi.number().required(),
}).required();
const workspaceAndMessage = Joi.object({ workspace: workspaceResponse, message: Joi.string().required() });

interface SignUpBody {
  email: string;
  password: string;
  company_name: string;
  phone?: string;
  country?: string;
}

export const signup = endpoint({
  id: 'auth.signup',
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
  refusals: [503],
  response: workspaceAndMessage,
  status: 201,
  async handler({ origin, body: { phone: phone_ = null, country: country_ = null, ...body } }, { db, config, temporal, logger }) {
    const { workspace, mailId } = await signUp({ db, config }, { ...body, phone: phone_, country: country_ }, origin);
    // Not awaited: the mail is in the outbox, and whether Temporal answers is no concern of the new customer.
    void temporal.sendMail(mailId).catch((err: unknown) => logger.warn({ err, mail_id: mailId }, 'mail was not started, the watcher will'));
    return { workspace: presentWorkspace(workspace), message: 'Workspace created. Please check your e-mail to verify your address.' };
  },
});

export const login = endpoint({
  id: 'auth.login',
  method: 'post',
  path: '/api/v1/auth/login',
  summary: 'Obtain a JWT',
  auth: 'none',
  rate: 'auth',
  body: Joi.object<{ email: string; password: string }>({ email: email(), password: requiredText() }).required(),
  refusals: [401, 503],
  response: Joi.object({ workspace: workspaceResponse, token: Joi.string().required() }),
  async handler({ body, origin }, { config, db }) {
    const workspace = await logIn(db, body, origin);
    return { workspace: presentWorkspace(workspace), token: issueToken(config.jwtSecret, workspace) };
  },
});

export const verifyEmailAddress = endpoint({
  id: 'auth.verify-email',
  method: 'post',
  path: '/api/v1/auth/verify-email',
  summary: 'Verify the e-mail address with the token from the mail',
  auth: 'none',
  rate: 'auth',
  body: Joi.object<{ token: string }>({ token: requiredText() }).required(),
  response: workspaceAndMessage,
  async handler({ body, origin }, { db }) {
    const workspace = await verifyEmail(db, body.token, origin);
    return { workspace: presentWorkspace(workspace), message: 'E-mail address verified.' };
  },
});
