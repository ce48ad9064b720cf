import assert from 'node:assert/strict';
import jwt from 'jsonwebtoken';
import { v7 as uuidv7 } from 'uuid';
import type { Endpoint } from '../../../api/http/endpoint.js';
import { endpoints } from '../../../api/endpoints/index.js';
import { generateApiKey, scopes } from '../../../models/rules/accounts/api-key.js';
import { buildQueued, buildSession, buildWebhook } from '../../support/rows/factories.js';
import { kidOf } from '../kid-of.js';
import type { Account, CallOptions } from '../start-app.js';
import { useApi } from '../use-api.js';

const call = ({ method, path }: Endpoint, id: string) => [method.toUpperCase(), path.replace(':id', id)] as const;
const withId = endpoints.filter(({ path }) => path.includes('/:id'));
const takesJwt = ({ auth }: Endpoint) => auth === 'jwt' || (typeof auth === 'object' && auth.jwtToo);
const takesKey = ({ auth }: Endpoint) => typeof auth === 'object';
const replay = { since: '2026-01-01T00:00:00Z' };
function bodyOf({ method, id }: Endpoint) {
  if (id === 'replayDeliveries') return { body: replay };
  return method === 'put' ? { body: {} } : {};
}

describe('data of other workspaces', () => {
  const app = useApi();
  let mine: CallOptions;
  const theirs: Record<string, string> = {};
  before(async () => {
    const me = await app.account();
    mine = { key: me.key, jwt: me.jwt };
    const other = await app.account();
    theirs.messages = (await buildQueued(app.deps.db, other.workspaceId)).id;
    const bulk = { channel: 'sms', content: { text: 'x' }, recipients: ['+15551234567'] };
    theirs.bulk = (await app.call('POST', '/api/v1/messages/bulk', { key: other.key, body: bulk })).body.data.batch.id;
    theirs.webhooks = (await buildWebhook(other.workspaceId, 'https://example.com')).row.id;
    const contact = { phone: '+15551234567' };
    theirs.contacts = (await app.call('POST', '/api/v1/contacts', { jwt: other.jwt, body: contact })).body.data.contact.id;
    const listed = { channel: 'sms', recipient: '+15551234567' };
    theirs.suppressions = (await app.call('POST', '/api/v1/suppressions', { jwt: other.jwt, body: listed })).body.data.suppression.id;
    const erasure = { to: '+15551234599' };
    theirs.erasures = (await app.call('POST', '/api/v1/erasures', { jwt: other.jwt, body: erasure })).body.data.erasure.id;
    theirs.sessions = (await buildSession(other.workspaceId)).id;
    theirs['api-keys'] = (await app.call('GET', '/api/v1/api-keys', { jwt: other.jwt })).body.data.api_keys[0].id;
  });
  const credentialFor = (item: Endpoint): CallOptions =>
    item.auth === 'jwt' || takesJwt(item) ? { jwt: mine.jwt ?? '' } : { key: mine.key ?? '' };

  for (const item of withId) {
    it(`${item.id}: 404 alike for a foreign, an unknown and a malformed id`, async () => {
      const resource = item.path.split('/:id')[0]?.split('/').at(-1) ?? '';
      const answers = [];
      for (const id of [theirs[resource] ?? '', uuidv7(), 'x', '%00', "'--", '0'.repeat(300)]) {
        const { status, body } = await app.call(...call(item, id), { ...credentialFor(item), ...bodyOf(item) });
        answers.push(JSON.stringify([status, { ...body, request_id: '' }]));
      }
      const text = {
        messages: 'Message not found',
        bulk: 'Batch not found',
        webhooks: 'Webhook not found',
        'api-keys': 'API key not found',
        contacts: 'Contact not found',
        suppressions: 'Suppression not found',
        erasures: 'Erasure not found',
        sessions: 'Session not found',
      }[resource];
      assert.equal(new Set(answers).size, 1, answers.join('\n'));
      assert.ok(answers[0]?.startsWith(`[404,{"success":false,"error":"${text}","code":"not_found"`), answers[0]);
    });
  }
});

describe('credentials', () => {
  const app = useApi();
  let account: Account;
  before(async () => {
    account = await app.account();
  });

  const claims = (changes: object = {}) => ({
    typ: 'access',
    tv: 0,
    sub: account.workspaceId,
    jti: uuidv7(),
    iss: 'tidings',
    aud: 'tidings-api',
    ...changes,
  });
  const secret = () => app.deps.config.jwtSecret;
  const sign = (payload: object, options: jwt.SignOptions = { expiresIn: 3600 }, key = secret()) =>
    jwt.sign(payload, key, { algorithm: 'HS256', keyid: kidOf(account.jwt), ...options });
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const unauthorized = 'Invalid or expired token';
  const tokens: [string, () => string, string?][] = [
    ['expired', () => sign(claims(), { expiresIn: -1 }), 'token_expired'],
    [
      'older than 30 days, whatever it says',
      () => sign(claims({ iat: Math.floor(Date.now() / 1000) - 31 * 86_400, exp: 4_000_000_000 }), {}),
      'token_expired',
    ],
    ['signed with another secret', () => sign(claims(), {}, 'x'.repeat(40))],
    ['unsigned', () => `${part({ alg: 'none', typ: 'JWT' })}.${part(claims({ exp: 4_000_000_000 }))}.`],
    ['signed with HS512', () => sign(claims(), { algorithm: 'HS512', expiresIn: 3600 })],
    ['of another issuer', () => sign(claims({ iss: 'x' }))],
    ['for another audience', () => sign(claims({ aud: 'x' }))],
    ['of another kind', () => sign(claims({ typ: 'refresh' }))],
    ['of another version', () => sign(claims({ tv: 1 }))],
    ['without a subject', () => sign(claims({ sub: undefined }))],
    ['of an unknown workspace', () => sign(claims({ sub: uuidv7() }))],
    ['of a subject that is no id', () => sign(claims({ sub: 'x' }))],
    ['not valid yet', () => sign(claims(), { notBefore: 60, expiresIn: 3600 })],
    ['cut short', () => sign(claims()).slice(0, -3)],
    ['an API key', () => account.key],
    ['empty', () => ''],
  ];
  // `api/matrix/matrix-credentials` holds every operation against the usual ones of them.
  const ofEachAuth = new Map(endpoints.filter(takesJwt).map((item) => [JSON.stringify(item.auth), item]));
  for (const item of ofEachAuth.values()) {
    for (const [what, token, code = 'unauthorized'] of tokens) {
      it(`${item.id}: 401 for a token that is ${what}`, async () => {
        const { status, body } = await app.call(...call(item, uuidv7()), { jwt: token(), ...bodyOf(item) });
        assert.deepEqual([status, body.error, body.code], [401, unauthorized, code]);
      });
    }
  }

  for (const scheme of ['Bearer', 'bearer', 'BEARER']) {
    it(`200 for a JWT with the scheme ${scheme}`, async () => {
      const { status } = await app.call('GET', '/api/v1/api-keys', { headers: { Authorization: `${scheme} ${account.jwt}` } });
      assert.equal(status, 200);
    });
  }
  for (const value of ['Basic eDp5', 'Bearer', 'Token abc', 'Bearer a b']) {
    it(`401 for the credential ${value}`, async () => {
      const { status, body } = await app.call('GET', '/api/v1/api-keys', { headers: { Authorization: value } });
      assert.deepEqual([status, body.error], [401, unauthorized]);
    });
  }

  for (const item of endpoints.filter((entry) => takesKey(entry) && !takesJwt(entry))) {
    it(`${item.id}: 401 without a key, with a wrong or doubled one, and with a JWT`, async () => {
      const tried: [CallOptions, string][] = [
        [{}, 'Missing X-API-Key header'],
        [{ key: '' }, 'Missing X-API-Key header'],
        [{ jwt: account.jwt }, 'Missing X-API-Key header'],
        [{ key: `${account.key.slice(0, -1)}!` }, 'Invalid API key'],
        [{ key: account.key.toLowerCase() }, 'Invalid API key'],
        [{ key: generateApiKey() }, 'Invalid API key'],
        [{ key: `${account.key}, ${account.key}` }, 'Invalid API key'],
        [{ key: account.jwt }, 'Invalid API key'],
      ];
      for (const [credential, text] of tried) {
        const { status, body } = await app.call(...call(item, uuidv7()), credential);
        assert.deepEqual([status, body.error, body.code], [401, text, 'unauthorized']);
      }
    });
  }
  for (const item of endpoints.filter(takesKey)) {
    const { scope } = item.auth as { scope: string | null };
    if (scope === null) continue; // any will do
    it(`${item.id}: 403 for a key without ${scope}`, async () => {
      const { key } = await app.account({
        scopes: scopes.filter((name) => name !== scope),
      });
      const { status, body } = await app.call(...call(item, uuidv7()), { key });
      assert.deepEqual([status, body.error, body.code], [403, `API key does not have required scope: ${scope}`, 'forbidden']);
    });
  }
});
