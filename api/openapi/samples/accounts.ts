import * as conflicts from '../../../models/conflicts.js';
import * as errors from '../../../models/errors.js';
import { wrongPassword, codeRequired, wrongCode } from '../../../models/refused-credentials.js';
import { emailText } from '../../../models/rules/messages/recipient.js';
import { scopes } from '../../../models/rules/accounts/api-key.js';
import { storeNow, successTexts } from '../../present/success-texts.js';
import { sessionSamples } from './sessions.js';
import { at, ids, pagination, type Samples } from './sample.js';

const email = 'ada@example.com';
const password = 'correct horse battery';
const workspace = { id: ids.workspace, name: 'Analytical Engines', email, email_verified: true, credits_balance: 100 };
const shortPassword = errors.invalidField('password', errors.faultTexts.shortPassword);
const commonPassword = errors.commonPassword();
const badEmail = errors.invalidField('email', emailText);
const key = { id: ids.key, name: 'Production', key_prefix: 'tidings_4fQz...', scopes: [...scopes], created_at: at };

const unlimited = { expires_at: null, allowed_addresses: null, channels: null };
const secretKey = 'tidings_<32 random characters and a checksum of 6>';
const warning = storeNow.apiKey;

/** Samples of accounts and API keys. */
export const accountSamples: Samples = {
  signUp: {
    about: 'Sends an e-mail with a token that verifies the address. Logging in is possible before the verification.',
    requests: { complete: { email, password, company_name: 'Analytical Engines', phone: '+15551234567', country: 'US' } },
    data: {
      workspace: { ...workspace, email_verified: false },
      message: successTexts.signedUp,
    },
    refusals: [errors.emailExists(), shortPassword, commonPassword, badEmail, errors.signupClosed(), errors.signupLimited(['example.com'])],
  },
  logIn: {
    about:
      'The JWT is valid for 30 days. It ends earlier with its session (`POST /auth/logout`, `DELETE /auth/sessions/{id}`), with all of them (`POST /auth/logout-all`, a new password, the operator) or with the account. After five wrong passwords, logins for the e-mail address are locked for 30 seconds, and twice as long after each further wrong password, up to 15 minutes. This applies to unknown addresses, too. A password reset ends the lock.',
    requests: { login: { email, password }, totp: { email, password, code: '287082' } },
    data: { workspace, token: 'eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJ0eXAiOiJhY2Nlc3MifQ.c2lnbmF0dXJl' },
    refusals: [wrongPassword(), codeRequired(), wrongCode(), badEmail],
  },
  verifyEmail: {
    about: 'The token is valid for 24 hours and works once.',
    requests: { token: { token: 'kq3v9Z0Xb7' } },
    data: { workspace, message: successTexts.emailVerified },
    refusals: [errors.invalidMailToken(), errors.emailExists()],
  },
  requestPasswordReset: {
    about: 'The token is valid for 60 minutes and works once. A newer token invalidates it.',
    requests: { email: { email } },
    data: { message: successTexts.resetRequested },
    refusals: [badEmail],
  },
  resetPassword: {
    about:
      'Also ends a lock of logins. If the e-mail address was never verified, the reset verifies it, revokes every API key, deactivates every webhook and disables TOTP.',
    requests: { reset: { token: 'kq3v9Z0Xb7', password }, revoke_keys: { token: 'kq3v9Z0Xb7', password, revoke_api_keys: true } },
    data: { message: successTexts.passwordChanged },
    refusals: [errors.invalidMailToken(), shortPassword, commonPassword],
  },
  ...sessionSamples,
  createApiKey: {
    about:
      'Without `scopes` the key has all of them. Send it as `X-API-Key`. An expired key, or one used from another address, gets the same response as an unknown key. The owner gets an e-mail.',
    requests: {
      all: { name: 'Production' },
      narrow: {
        name: 'Sender',
        scopes: ['send_messages'],
        expires_at: '2099-01-01T00:00:00Z',
        allowed_addresses: ['203.0.113.0/24', '2001:db8::1'],
        channels: ['sms'],
      },
    },
    data: {
      ...key,
      key: secretKey,
      warning,
    },
    refusals: [
      errors.invalidField('scopes', `Invalid scopes. Must be one of: ${scopes.join(', ')}`),
      conflicts.quotaReached('apiKeys', 100),
    ],
  },
  listApiKeys: {
    data: { api_keys: [{ ...key, ...unlimited, is_active: true, last_used_at: at, last_used_address: '203.0.113.7' }], pagination },
  },
  rotateApiKey: {
    about:
      'The new key has the name, scopes and restrictions of the old one. If the old one expires, the new one has the same lifetime, from now on.',
    requests: { overlap: { overlap_hours: 24 }, at_once: { overlap_hours: 0 } },
    data: { ...key, ...unlimited, key: secretKey, warning },
    refusals: [conflicts.canNoLonger('API key', 'rotated')],
  },
  listAuditEvents: {
    about: 'Each event is written in the same transaction as the change.',
    data: {
      audit_events: [
        {
          id: ids.audit,
          type: 'api_key.created',
          at,
          actor: { type: 'user', id: ids.workspace, name: email },
          address: '203.0.113.7',
          user_agent: 'curl/8.14.1',
          request_id: '0198c5b1-6f1c-7c58-9d0a-3f2f8a4b5c6d',
          target: { type: 'api_key', id: ids.key, name: 'Production' },
          changes: { scopes: [...scopes] },
        },
      ],
      pagination,
    },
  },
  deactivateApiKey: {
    about: 'Takes effect for every request that begins after the response. Cannot be undone. Repeating it changes nothing.',
    data: { message: successTexts.keyDeactivated },
  },
};
