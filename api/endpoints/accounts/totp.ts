/** The second factor (TOTP): set it up, confirm it, remove it. */
import Joi from 'joi';
import { confirmTotp, offerTotp, removeTotp } from '../../../models/operations/accounts/set-totp.js';
import { otpauthUrl } from '../../../models/rules/accounts/totp.js';
import { endpoint } from '../../declare.js';
import { named } from '../../http/schemas/json-schema.js';
import { messageOnly } from '../../http/schemas/schemas.js';
import { requiredText } from '../../http/schemas/validation.js';
import { startMail } from '../../outside/start-mail.js';
import { successTexts } from '../../present/success-texts.js';
import { clientOf } from './client-of.js';
import { attemptDeps } from './password-checks.js';

export const setUpTotpEndpoint = endpoint({
  id: 'setUpTotp',
  tag: 'auth',
  method: 'post',
  path: '/api/v1/auth/totp',
  summary: 'Create a TOTP secret and recovery codes, displayed only once; TOTP is enabled when a code is confirmed',
  auth: 'jwt',
  rate: 'auth',
  response: named(
    'TotpData',
    Joi.object({
      secret: Joi.string().required(),
      otpauth_url: Joi.string().required(),
      recovery_codes: Joi.array().items(Joi.string()).required(),
    }),
  ),
  async handler({ caller, origin }, { db, config }) {
    const { secret, recoveryCodes } = await offerTotp(db, config.secretKey, caller.workspaceId, origin);
    return { secret, otpauth_url: otpauthUrl(secret, caller.actor.name ?? ''), recovery_codes: recoveryCodes };
  },
});

/** What confirming and removing the second factor have in common. */
const withCode = {
  auth: 'jwt',
  rate: 'auth',
  body: Joi.object<{ code: string }>({ code: requiredText() }).required(),
  response: messageOnly,
} as const;

export const confirmTotpEndpoint = endpoint({
  id: 'confirmTotp',
  tag: 'auth',
  method: 'post',
  path: '/api/v1/auth/totp/confirm',
  summary: 'Enable TOTP with a code of the authenticator app',
  ...withCode,
  async handler({ caller, origin, body }, deps) {
    const mailId = await confirmTotp(deps.db, deps.config.secretKeys, { workspaceId: caller.workspaceId, code: body.code }, origin);
    startMail(deps, mailId);
    return { message: successTexts.totpEnabled };
  },
});

export const removeTotpEndpoint = endpoint({
  id: 'removeTotp',
  tag: 'auth',
  method: 'delete',
  path: '/api/v1/auth/totp',
  summary: 'Disable TOTP with a code of the authenticator app or a recovery code',
  ...withCode,
  async handler({ caller: { workspaceId }, origin, body: { code } }, deps) {
    const mailId = await removeTotp(attemptDeps(deps), { workspaceId, code, client: clientOf(deps.config, origin) }, origin);
    startMail(deps, mailId);
    return { message: successTexts.totpRemoved };
  },
});
