/**
 * The tables of the interface document, typed in by hand: endpoints, credentials, errors, shapes. Nothing here is derived from the
 * program: when one of these fails, the program is wrong. Limits and events are in the files beside this one.
 */
import { statusOf } from '../../api/http/errors/error-status.js';
import assert from 'node:assert/strict';
import { endpoints } from '../../api/endpoints/index.js';
import * as errors from '../../models/errors.js';
import { missingApiKey, invalidApiKey, deactivatedApiKey, invalidToken, expiredToken } from '../../models/refused-credentials.js';
import { useApi } from '../api/use-api.js';
import { textOf } from '../deploy/project.js';

type Row = [method: string, path: string, auth: 'none' | 'provider' | 'jwt' | 'key' | 'either'];

const table: Row[] = [
  ['POST', '/api/v1/auth/signup', 'none'],
  ['POST', '/api/v1/auth/login', 'none'],
  ['POST', '/api/v1/auth/verify-email', 'none'],
  ['POST', '/api/v1/auth/forgot-password', 'none'],
  ['POST', '/api/v1/auth/reset-password', 'none'],
  ['POST', '/api/v1/messages/send', 'key'],
  ['POST', '/api/v1/messages/bulk', 'key'],
  ['GET', '/api/v1/messages', 'key'],
  ['GET', '/api/v1/messages/:id', 'key'],
  ['POST', '/api/v1/api-keys', 'jwt'],
  ['GET', '/api/v1/api-keys', 'jwt'],
  ['DELETE', '/api/v1/api-keys/:id', 'jwt'],
  ['POST', '/api/v1/contacts', 'either'],
  ['GET', '/api/v1/contacts', 'either'],
  ['GET', '/api/v1/contacts/:id', 'either'],
  ['PUT', '/api/v1/contacts/:id', 'either'],
  ['DELETE', '/api/v1/contacts/:id', 'either'],
  ['POST', '/api/v1/webhooks', 'either'],
  ['GET', '/api/v1/webhooks', 'either'],
  ['GET', '/api/v1/webhooks/events', 'either'],
  ['GET', '/api/v1/webhooks/:id', 'either'],
  ['PUT', '/api/v1/webhooks/:id', 'either'],
  ['DELETE', '/api/v1/webhooks/:id', 'either'],
  ['GET', '/api/v1/webhooks/:id/deliveries', 'either'],
  ['GET', '/api/v1/billing/packages', 'none'],
  ['POST', '/api/v1/billing/checkout', 'jwt'],
  ['GET', '/api/v1/billing/transactions', 'jwt'],
  ['POST', '/api/v1/billing/webhook', 'provider'],
  ['GET', '/health', 'none'],
];

function authOf(auth: unknown) {
  if (typeof auth !== 'object' || auth === null) return auth;
  return 'jwtToo' in auth && auth.jwtToo === true ? 'either' : 'key';
}

describe('the table of endpoints', () => {
  it('the table of endpoints has the 29 endpoints of the contract', () => assert.equal(table.length, 29));
  for (const [method, path, auth] of table) {
    const declared = endpoints.find((item) => item.method.toUpperCase() === method && item.path === path);
    it(`${method} ${path} takes the credential ${auth}`, () => assert.equal(authOf(declared?.auth), auth));
  }
});

describe('paths without a version prefix', () => {
  it('the contract lists every operation without a version prefix', () => {
    const [listed = ''] = /(?<=no version prefix: )[^.]*/.exec(textOf('docs/contract/README.md')) ?? [];
    const documented = [...listed.matchAll(/`([^`]+)`/g)].map(([, path = '']) => path);
    const paths = endpoints.map(({ path }) => path).filter((path) => !path.startsWith('/api/v1/'));
    const roots = paths.map((path) => path.replace(/^(\/console\/session)\/.*/, '$1'));
    assert.deepEqual(documented.toSorted(), [...new Set(roots)].toSorted());
  });
});

describe('the table of error texts', () => {
  const texts: [number, string, errors.AppError][] = [
    [400, 'Email already exists', errors.emailExists()],
    [401, 'Invalid API key', invalidApiKey()],
    [401, 'API key has been deactivated', deactivatedApiKey()],
    [401, 'Invalid or expired token', invalidToken()],
    [401, 'Invalid or expired token', expiredToken()],
    [401, 'Missing X-API-Key header', missingApiKey()],
    [402, 'Credit purchase failed', errors.purchaseFailed()],
    [402, 'Insufficient credits. You need 2.5 credits but have 0.1.', errors.insufficientCredits(2500, 100)],
    [403, 'API key does not have required scope: send_messages', errors.missingScope('send_messages')],
    [404, 'Message not found', errors.notFound('Message')],
    [429, 'Rate limit exceeded. Try again in 7 seconds.', errors.rateLimited(7)],
    [500, 'Internal server error. Please try again later.', errors.internal()],
  ];
  for (const [status, text, error] of texts)
    it(`the text of a ${status} is: ${text}`, () => assert.deepEqual([statusOf(error), error.message], [status, text]));
});

describe('the interface, from outside', () => {
  const app = useApi();
  let key: string;
  let jwt: string;
  before(async () => {
    ({ key, jwt } = await app.account());
  });
  const sms = { to: '+15551234567', channel: 'sms', content: { text: 'Hello' } };
  const signup = { email: 'a@b.co', password: 'correct horse', company_name: 'Acme', phone: '+15551234567', country: 'US' };

  const refused: [string, string, string, () => object, number, string][] = [
    [
      'a bad number',
      'POST',
      '/api/v1/messages/send',
      () => ({ key, body: { ...sms, to: '5551234567' } }),
      400,
      'Phone number must be in E.164 format',
    ],
    [
      'voice',
      'POST',
      '/api/v1/messages/send',
      () => ({ key, body: { ...sms, channel: 'voice' } }),
      400,
      'Invalid channel. Must be one of: sms, whatsapp, email',
    ],
    [
      'no text',
      'POST',
      '/api/v1/messages/send',
      () => ({ key, body: { ...sms, content: {} } }),
      400,
      'Missing required field: content.text',
    ],
    [
      'no content',
      'POST',
      '/api/v1/messages/send',
      () => ({ key, body: { ...sms, content: undefined } }),
      400,
      'Missing required field: content.text',
    ],
    [
      'a short password',
      'POST',
      '/api/v1/auth/signup',
      () => ({ body: { ...signup, password: '1234567' } }),
      400,
      'Password must be at least 8 characters',
    ],
    ['a bad date', 'GET', '/api/v1/messages?start_date=soon', () => ({ key }), 400, 'Invalid date format'],
    ['a limit of 101', 'GET', '/api/v1/messages?limit=101', () => ({ key }), 400, 'Limit must be between 1 and 100'],
    ['no key', 'GET', '/api/v1/messages', () => ({}), 401, 'Missing X-API-Key header'],
    ['a wrong key', 'GET', '/api/v1/messages', () => ({ key: 'tidings_wrong' }), 401, 'Invalid API key'],
    ['no token', 'GET', '/api/v1/api-keys', () => ({}), 401, 'Invalid or expired token'],
    ['an unknown message', 'GET', '/api/v1/messages/01890000-0000-7000-8000-000000000000', () => ({ key }), 404, 'Message not found'],
  ];
  for (const [what, method, path, options, status, text] of refused) {
    it(`${status} for ${what}, with the text of the contract`, async () => {
      const answer = await app.call(method, path, options());
      assert.deepEqual([answer.status, answer.body.success, answer.body.error], [status, false, text]);
    });
  }

  it('402 for a send names the required and the available credits', async () => {
    const poor = await app.account({ balance: 1500 });
    const { status, body } = await app.call('POST', '/api/v1/messages/send', {
      key: poor.key,
      body: { ...sms, content: { text: 'x'.repeat(320) } },
    });
    assert.deepEqual([status, body.error], [402, 'Insufficient credits. You need 2 credits but have 1.5.']);
  });

  it('a message has exactly the fields that docs/contract/messages.md lists', async () => {
    const [, listed = ''] = /^A message has the fields\n`(.+)`\.$/m.exec(textOf('docs/contract/messages.md')) ?? [];
    const { body } = await app.call('POST', '/api/v1/messages/send', { key, body: sms });
    assert.deepEqual(Object.keys(body.data.message), listed.split(', '));
  });

  it('answers have the documented shapes', async () => {
    const created = await app.call('POST', '/api/v1/auth/signup', { body: signup });
    assert.equal(created.status, 201);
    assert.deepEqual(Object.keys(created.body.data), ['workspace', 'message']);
    assert.deepEqual(Object.keys(created.body.data.workspace), ['id', 'name', 'email', 'email_verified', 'credits_balance']);
    const login = await app.call('POST', '/api/v1/auth/login', { body: { email: 'a@b.co', password: 'correct horse' } });
    assert.equal(login.status, 200);
    assert.deepEqual(Object.keys(login.body.data), ['workspace', 'token']);
    const apiKey = await app.call('POST', '/api/v1/api-keys', { jwt, body: { name: 'x' } });
    assert.deepEqual(Object.keys(apiKey.body.data), ['id', 'name', 'key', 'key_prefix', 'scopes', 'created_at', 'warning']);
    const keys = await app.call('GET', '/api/v1/api-keys', { jwt });
    for (const field of ['id', 'name', 'key_prefix', 'scopes', 'is_active', 'last_used_at', 'created_at'])
      assert.ok(field in keys.body.data.api_keys[0], field);
    assert.deepEqual(Object.keys(keys.body.data.pagination), ['total', 'page', 'pages', 'limit', 'next_cursor']);
    const deleted = await app.call('DELETE', `/api/v1/api-keys/${apiKey.body.data.id}`, { jwt });
    assert.deepEqual(Object.keys(deleted.body.data), ['message']);
    const webhook = await app.call('POST', '/api/v1/webhooks', { jwt, body: { url: 'https://example.com/', events: ['message.sent'] } });
    assert.deepEqual(Object.keys(webhook.body.data), ['webhook', 'secret', 'warning']);
    const health = await app.call('GET', '/health');
    assert.deepEqual(health.body.services, { database: 'ok', redis: 'ok', queue: 'ok' });
  });
});
