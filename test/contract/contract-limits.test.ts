/** The table of limits of the interface document, typed in by hand, against the service as it is when nothing is set. */
import assert from 'node:assert/strict';
import jwt from 'jsonwebtoken';
import type { Answer, CallOptions } from '../api/start-app.js';
import { useApi } from '../api/use-api.js';

const asShipped = { RATE_LIMIT_API: undefined, RATE_LIMIT_JWT: undefined, RATE_LIMIT_BULK: undefined, RATE_LIMIT_AUTH: undefined };
const send = '/api/v1/messages/send';
const sms = { to: '+15551234567', channel: 'sms', content: { text: 'Hello' } };

type Credentials = { key: string; jwt: string };
type Options = (credentials: Credentials) => CallOptions;
/** What is called, how often it passes within how many seconds, and what it is answered while it passes. */
const rates: [what: string, method: string, path: string, options: Options, points: number, seconds: number, status: number][] = [
  ['an API key', 'GET', '/api/v1/messages', ({ key }) => ({ key }), 100, 60, 200],
  ['bulk sends of an API key', 'POST', '/api/v1/messages/bulk', ({ key }) => ({ key, body: {} }), 10, 60, 400],
  ['a workspace with a JWT', 'GET', '/api/v1/contacts', ({ jwt: token }) => ({ jwt: token }), 100, 60, 200],
  ['signing up', 'POST', '/api/v1/auth/signup', () => ({ body: {} }), 5, 900, 400],
  ['logging in', 'POST', '/api/v1/auth/login', () => ({ body: { email: 'a@b.co', password: 'x' } }), 5, 900, 401],
  ['verifying an address', 'POST', '/api/v1/auth/verify-email', () => ({ body: { token: 'x' } }), 5, 900, 400],
  ['forgetting a password', 'POST', '/api/v1/auth/forgot-password', () => ({ body: {} }), 5, 900, 400],
  ['setting a password', 'POST', '/api/v1/auth/reset-password', () => ({ body: {} }), 5, 900, 400],
  ['an address without a credential', 'GET', '/api/v1/billing/packages', () => ({}), 100, 60, 200],
  ['looking at the health', 'GET', '/health', () => ({}), 100, 60, 200],
];

describe('the table of limits', () => {
  const app = useApi({ env: asShipped });
  let credentials: Credentials;
  before(async () => {
    credentials = await app.account();
  });

  for (const [what, method, path, options, points, seconds, status] of rates) {
    it(`${what}: ${points} in ${seconds} seconds, the next is 429`, async () => {
      const answers: Answer[] = [];
      for (let index = 0; index < points; index += 1) answers.push(await app.call(method, path, options(credentials)));
      assert.deepEqual(new Set(answers.map((answer) => answer.status)), new Set([status]));
      const { headers: first } = answers[0] as Answer;
      assert.deepEqual([first.get('x-ratelimit-limit'), first.get('x-ratelimit-remaining')], [String(points), String(points - 1)]);
      const { status: refused, body, headers } = await app.call(method, path, options(credentials));
      const wait = Number(headers.get('retry-after'));
      assert.deepEqual([refused, body.error], [429, `Rate limit exceeded. Try again in ${wait} seconds.`]);
      assert.ok(wait <= seconds && wait > seconds - 60 && wait > 0, `Retry-After ${wait}`);
      const reset = Number(headers.get('x-ratelimit-reset'));
      assert.ok(Math.abs(reset - (Date.now() / 1000 + wait)) <= 2, `X-RateLimit-Reset ${reset}`);
    });
  }
});

describe('the other limits', () => {
  const app = useApi();
  let key: string;
  let token: string;
  before(async () => {
    ({ key, jwt: token } = await app.account());
  });

  it('a page has 50 items, at most 100', async () => {
    const limitOf = async (query: string) => (await app.call('GET', `/api/v1/messages${query}`, { key })).body.data?.pagination.limit;
    assert.deepEqual([await limitOf(''), await limitOf('?limit=100'), await limitOf('?limit=101')], [50, 100, undefined]);
  });
  it('a JWT lives for 30 days', () => {
    const { iat = 0, exp = 0 } = jwt.decode(token) as { iat?: number; exp?: number };
    assert.equal(exp - iat, 30 * 24 * 3600);
  });
  it('a password has 8 to 128 characters', async () => {
    const statusOf = async (length: number) => {
      const body = { email: `${length}@example.com`, password: 'x'.repeat(length), company_name: 'Acme' };
      return (await app.call('POST', '/api/v1/auth/signup', { body })).status;
    };
    assert.deepEqual([await statusOf(7), await statusOf(8), await statusOf(128), await statusOf(129)], [400, 201, 201, 400]);
  });
  it('160 characters of SMS are one credit, WhatsApp is 0.5, an e-mail 0.1', async () => {
    const costOf = async (change: object) =>
      (await app.call('POST', send, { key, body: { ...sms, ...change } })).body.data?.message.credits_used;
    const ofLength = (length: number) => costOf({ content: { text: 'x'.repeat(length) } });
    assert.deepEqual(await Promise.all([1, 160, 161, 320, 321, 1600, 1601].map(ofLength)), [1, 1, 2, 2, 3, 10, undefined]);
    assert.deepEqual([await costOf({ channel: 'whatsapp' }), await costOf({ channel: 'email', to: 'a@b.co' })], [0.5, 0.1]);
  });
  it('a phone number has at most 15 digits, the first not zero', async () => {
    const statusOf = async (to: string) => (await app.call('POST', send, { key, body: { ...sms, to } })).status;
    assert.deepEqual(
      await Promise.all(['+123456789012345', '+1234567890123456', '+0123456789', '15551234567'].map(statusOf)),
      [201, 400, 400, 400],
    );
  });
});
