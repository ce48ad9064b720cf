/** The second factor (TOTP): set it up, confirm it, remove it. */
import Joi from 'joi';
import { forgetTries, takeTry } from '../../../models/operations/accounts/login-tries.js';
import { assertTotpInForce, confirmTotp, offerTotp, removeTotp } from '../../../models/operations/accounts/set-totp.js';
import { otpauthUrl } from '../../../models/rules/accounts/totp.js';
import { endpoint } from '../../http/endpoint.js';
import { named } from '../../http/json-schema.js';
import { messageOnly } from '../../http/schemas.js';
import { requiredText } from '../../http/validation.js';
import { successTexts } from '../../present/success-texts.js';
import { clientOf } from './client-of.js';

export const setUpTotp = endpoint({
  id: 'setUpTotp',
  tag: 'auth',
  method: 'post',
  path: '/api/v1/auth/totp',
  summary: 'Create a TOTP secret and recovery codes, displayed only once; TOTP is enabled when a code is confirmed',
  auth: 'jwt',
  rate: 'auth',
  refusals: [409],
  response: named(
    'TotpData',
    Joi.object({
      secret: Joi.string().required(),
      otpauth_url: Joi.string().required(),
      recovery_codes: Joi.array().items(Joi.string()).required(),
    }),
  ),
  async handler({ caller }, { db, config }) {
    const { secret, recoveryCodes } = await offerTotp(db, config.secretKey, caller.workspaceId);
    return { secret, otpauth_url: otpauthUrl(secret, caller.actor.name ?? ''), recovery_codes: recoveryCodes };
  },
});

/** What confirming and removing the second factor have in common. */
const withCode = {
  auth: 'jwt',
  rate: 'auth',
  body: Joi.object<{ code: string }>({ code: requiredText() }).required(),
  refusals: [409],
  response: messageOnly,
} as const;

export const confirmTotpCode = endpoint({
  id: 'confirmTotp',
  tag: 'auth',
  method: 'post',
  path: '/api/v1/auth/totp/confirm',
  summary: 'Enable TOTP with a code of the authenticator app',
  ...withCode,
  async handler({ caller, origin, body }, { db, config }) {
    await confirmTotp(db, config.secretKeys, caller.workspaceId, body.code, origin);
    return { message: successTexts.totpEnabled };
  },
});

export const deleteTotp = endpoint({
  id: 'removeTotp',
  tag: 'auth',
  method: 'delete',
  path: '/api/v1/auth/totp',
  summary: 'Disable TOTP with a code of the authenticator app or a recovery code',
  ...withCode,
  async handler({ caller, origin, body }, { db, config }) {
    // Wrong codes are counted like wrong passwords, so that a stolen JWT cannot be used to try all codes.
    await assertTotpInForce(db, caller.workspaceId);
    const { digest } = await takeTry(db, config.secretKey, caller.actor.name ?? '', clientOf(config, origin));
    await removeTotp(db, config.secretKeys, caller.workspaceId, body.code, origin);
    await forgetTries(db, [digest]);
    return { message: successTexts.totpRemoved };
  },
});
