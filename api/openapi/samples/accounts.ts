import * as errors from '../../../models/errors.js';
import { scopes } from '../../../models/rules/api-key.js';
import { at, ids, pagination, type Samples } from './sample.js';

const email = 'ada@example.com';
const password = 'correct horse battery';
const workspace = { id: ids.workspace, name: 'Analytical Engines', email, email_verified: true, credits_balance: 100 };
const shortPassword = errors.invalidField('password', 'Password must be at least 8 characters');
const badEmail = errors.invalidField('email', 'Invalid email address');
const key = { id: ids.key, name: 'Production', key_prefix: 'tidings_4fQz...', scopes: [...scopes], created_at: at };

/** Accounts and API keys. */
export const accountSamples: Samples = {
  'auth.signup': {
    about: 'Sends a mail with a token that verifies the address. The workspace may log in before.',
    requests: { complete: { email, password, company_name: 'Analytical Engines', phone: '+15551234567', country: 'US' } },
    data: {
      workspace: { ...workspace, email_verified: false },
      message: 'Workspace created. Please check your e-mail to verify your address.',
    },
    refusals: [errors.emailExists(), shortPassword, badEmail],
  },
  'auth.login': {
    about: 'The JWT is good for 30 days, or until the password changes.',
    requests: { login: { email, password } },
    data: { workspace, token: 'eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJ0eXAiOiJhY2Nlc3MifQ.c2lnbmF0dXJl' },
    refusals: [errors.wrongPassword(), badEmail],
  },
  'auth.verify-email': {
    about: 'A token lives 24 hours and works once.',
    requests: { token: { token: 'kq3v9Z0Xb7' } },
    data: { workspace, message: 'E-mail address verified.' },
    refusals: [errors.invalidMailToken()],
  },
  'auth.forgot-password': {
    about: 'A token lives 60 minutes and works once; a newer one voids the older.',
    requests: { email: { email } },
    data: { message: 'If a workspace has this e-mail address, a mail with a link to reset its password is on the way.' },
    refusals: [badEmail],
  },
  'auth.reset-password': {
    requests: { reset: { token: 'kq3v9Z0Xb7', password } },
    data: { message: 'Password has been changed. Please log in again.' },
    refusals: [errors.invalidMailToken(), shortPassword],
  },
  'api-keys.create': {
    about: 'Without `scopes` the key has all of them. Send it as `X-API-Key`.',
    requests: { all: { name: 'Production' }, narrow: { name: 'Sender', scopes: ['send_messages'] } },
    data: {
      ...key,
      key: 'tidings_<32 random characters and a checksum of 6>',
      warning: 'Store this API key now: it is displayed only once and cannot be retrieved later.',
    },
    refusals: [errors.invalidField('scopes', `Invalid scopes. Must be one of: ${scopes.join(', ')}`)],
  },
  'api-keys.list': { data: { api_keys: [{ ...key, is_active: true, last_used_at: null }], pagination } },
  'audit-events.list': {
    about: 'Written in the transaction of what they tell. `actor` takes a type, or the id of an API key.',
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
      pagination: { ...pagination, next_cursor: null },
    },
  },
  'api-keys.delete': {
    about: 'Holds for every request that begins after the answer, and cannot be undone. Repeating it changes nothing.',
    data: { message: 'API key has been deactivated' },
  },
};
