/** Settings of workspaces: who may sign up, their first credits, and the mails to their owners. */
import Joi from 'joi';
import { signupPattern } from '../rules/accounts/signup-policy.js';
import { anyMailbox, mailServer } from './setting-kinds.js';

const smallestCredits = 0.001;

/** An amount that does not become 0 when it is rounded to thousandths. */
const credits = Joi.number()
  .min(0)
  .custom((amount: number, helpers) => (amount > 0 && amount < smallestCredits ? helpers.error('credits') : amount))
  .messages({ credits: `{{#label}} must be 0, or at least ${smallestCredits}` });

export const accountSettings: Record<string, Joi.Schema> = {
  SMTP_URL: mailServer.description(
    'mail server of the account mails, which become .eml files in DATA_DIR/mail when not set; TLS is required off this machine unless ?tls=optional is added',
  ),
  MAIL_FROM: anyMailbox.default('Tidings <no-reply@tidings.invalid>').description('sender of the account mails'),
  CONSOLE_IDLE_HOURS: Joi.number()
    .integer()
    .min(1)
    .max(168)
    .default(24)
    .description('hours without a request after which a session of the console ends; it ends after 7 days in any case'),
  SIGNUP: Joi.string()
    .pattern(signupPattern)
    .messages({
      'string.pattern.base':
        '{{#label}} must be open, closed, or verified-domain: and mail domains, for example verified-domain:example.com',
    })
    .default('open')
    .description(
      'who may sign up: open (everybody), closed (nobody; an operator creates workspaces), or verified-domain:example.com (addresses of these domains, comma-separated, which must be verified before they send)',
    ),
  SIGNUP_CREDITS: credits
    .max(1_000_000)
    .description('credits granted at sign-up (0; 100 when everything is embedded), while every channel uses the sandbox')
    .default(0),
  LOW_BALANCE_CREDITS: credits
    .max(1_000_000_000)
    .default(0)
    .description('balance below which a workspace gets an e-mail, at most one per day; 0 means never'),
};
