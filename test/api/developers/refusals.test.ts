import assert from 'node:assert/strict';
import type { Account } from '../start-app.js';
import { useApi } from '../use-api.js';

describe('the details of refusals', () => {
  const app = useApi();
  let account: Account;
  before(async () => {
    account = await app.account();
  });

  const jwtPath = '/api/v1/api-keys';
  const keyPath = '/api/v1/messages';
  const eitherPath = '/api/v1/contacts';
  const token = 'Invalid or expired token';
  const refused: [what: string, path: string, headers: () => Record<string, string>, error: string, why: string][] = [
    [
      'nothing where a JWT is needed',
      jwtPath,
      () => ({}),
      token,
      'This operation needs a JWT in the header Authorization, as Bearer <JWT>',
    ],
    [
      'an API key where a JWT is needed',
      jwtPath,
      () => ({ 'X-API-Key': account.key }),
      token,
      'This operation needs a JWT, not an API key',
    ],
    [
      'an API key as a JWT',
      jwtPath,
      () => ({ Authorization: `Bearer ${account.key}` }),
      token,
      'This operation needs a JWT, not an API key',
    ],
    ['another scheme', jwtPath, () => ({ Authorization: 'Basic eDp5' }), token, 'The header Authorization must be Bearer <JWT>'],
    ['a changed JWT', jwtPath, () => ({ Authorization: `Bearer ${account.jwt}x` }), token, 'The JWT was not issued here, or was changed'],
    ['no JWT at all', jwtPath, () => ({ Authorization: 'Bearer x' }), token, 'The token is not a JWT'],
    [
      'nothing where either will do',
      eitherPath,
      () => ({}),
      token,
      'This operation needs an API key in the header X-API-Key, or a JWT in the header Authorization, as Bearer <JWT>',
    ],
    [
      'a key as a token',
      eitherPath,
      () => ({ Authorization: `Bearer ${account.key}` }),
      token,
      'An API key belongs in the header X-API-Key',
    ],
    [
      'nothing where a key is needed',
      keyPath,
      () => ({}),
      'Missing X-API-Key header',
      'This operation needs an API key in the header X-API-Key',
    ],
    [
      'a JWT where a key is needed',
      keyPath,
      () => ({ Authorization: `Bearer ${account.jwt}` }),
      'Missing X-API-Key header',
      'This operation needs an API key in the header X-API-Key, not a JWT',
    ],
    [
      'another scheme where a key is needed',
      keyPath,
      () => ({ Authorization: 'Basic eDp5' }),
      'Missing X-API-Key header',
      'This operation needs an API key in the header X-API-Key',
    ],
    ['a JWT as a key', keyPath, () => ({ 'X-API-Key': account.jwt }), 'Invalid API key', 'This is a JWT. This operation needs an API key'],
    ['a misspelt key', keyPath, () => ({ 'X-API-Key': `${account.key}x` }), 'Invalid API key', 'The API key is incomplete or misspelt'],
  ];
  for (const [what, path, headers, error, why] of refused) {
    it(`401 for ${what}, and the detail says what the operation needs`, async () => {
      const { status, body } = await app.call('GET', path, { headers: headers() });
      const messages = body.details.map(({ message }: { message: string }) => message);
      assert.deepEqual([status, body.error, body.code, messages], [401, error, 'unauthorized', [why]]);
    });
  }

  for (const [path, challenge] of [
    [jwtPath, 'Bearer'],
    [keyPath, 'ApiKey'],
    [eitherPath, 'Bearer, ApiKey'],
  ] as const) {
    it(`401 with the challenge ${challenge} at ${path}`, async () => {
      const { status, headers } = await app.call('GET', path);
      assert.deepEqual([status, headers.get('www-authenticate')], [401, challenge]);
    });
  }
  it('401 with the challenge Bearer after a wrong password', async () => {
    const body = { email: 'nobody@example.com', password: 'a wrong password' };
    const login = await app.call('POST', '/api/v1/auth/login', { body });
    assert.deepEqual([login.status, login.headers.get('www-authenticate')], [401, 'Bearer']);
  });

  const lost: [method: string, path: string, error: string, why: string, allow: string | null][] = [
    [
      'PATCH',
      '/api/v1/contacts/x',
      'Not found',
      'No such method on this path. Allowed: GET, PUT, DELETE',
      'GET, PUT, DELETE, HEAD, OPTIONS',
    ],
    ['PUT', '/api/v1/messages/send', 'Not found', 'No such method on this path. Allowed: POST', 'POST, OPTIONS'],
    ['GET', '/api/v1/messages/send', 'Not found', 'No such method on this path. Allowed: POST', 'POST, OPTIONS'],
    ['GET', '/api/v1/messages/', 'Not found', 'A path has no slash at its end: use /api/v1/messages', null],
    ['GET', '/api/v1/messages/x/', 'Not found', 'A path has no slash at its end: use /api/v1/messages/{id}', null],
    ['GET', '/API/V1/messages', 'Not found', 'Paths are in lower case: use /api/v1/messages', null],
    ['GET', '/messages', 'Not found', 'Paths begin with /api/v1: use /api/v1/messages', null],
    ['GET', '/v1/messages', 'Not found', 'Paths begin with /api/v1: use /api/v1/messages', null],
    ['GET', '/api/messages', 'Not found', 'Paths begin with /api/v1: use /api/v1/messages', null],
    ['GET', '/api/v2/messages', 'Not found', 'Paths begin with /api/v1: use /api/v1/messages', null],
    ['GET', '/api/v1/message', 'Not found', 'Did you mean /api/v1/messages?', null],
    ['GET', '/message', 'Not found', 'Did you mean /api/v1/messages?', null],
    ['POST', '/api/v1/message/send', 'Not found', 'Did you mean /api/v1/messages/send?', null],
    ['GET', '/api/v1/apikeys/x', 'Not found', 'Did you mean /api/v1/api-keys/{id}?', null],
    ['POST', '/api/v1/messages/snd', 'Not found', 'Did you mean /api/v1/messages/send?', null],
    ['DELETE', '/api/v1/webhook/x', 'Not found', 'Did you mean /api/v1/webhooks/{id}?', null],
    ['POST', '/api/v1/auth/signin', 'Not found', 'Did you mean /api/v1/auth/login?', null],
    [
      'POST',
      '/api/v1/api/v1/messages/send',
      'Not found',
      'The path has /api/v1 twice: use /api/v1/messages/send, or a base URL without /api/v1',
      null,
    ],
  ];
  for (const [method, path, error, message, allow] of lost) {
    it(`404 for ${method} ${path}, with what would be right`, async () => {
      const { status, body, headers } = await app.call(method, path, { key: account.key });
      assert.deepEqual([status, body.error, body.details], [404, error, [{ field: '', message }]]);
      assert.equal(headers.get('allow'), allow);
    });
  }
  it('404 for an unknown id and an unknown path says no more', async () => {
    for (const path of ['/api/v1/messages/x', '/nothing', '/api/v1/nothing', '/api/v1/messages/x/y/z']) {
      const { status, body } = await app.call('GET', path, { key: account.key });
      assert.deepEqual([status, body.details], [404, undefined]);
    }
  });

  for (const [what, body, where] of [
    ['a comma too many', '{\n  "to": "x",\n}', 'The JSON is broken at line 3, column 1'],
    ['an end too early', '{"to": "x"', 'The body ends before its JSON does'],
    ['an end in a literal', '{"to": tru', 'The body ends before its JSON does'],
    ['a literal of another language', '{"to": "\\"position 2",\n "test": True}', 'The JSON is broken at line 2, column 10'],
    ['a text without quotes', '{"a": [1, -2.5e+3, null, {}, []], "to": hello}', 'The JSON is broken at line 1, column 41'],
    ['a missing value', '{"to": }', 'The JSON is broken at line 1, column 8'],
    ['a comma too many in a list', '{"recipients": ["x",]}', 'The JSON is broken at line 1, column 21'],
    ['curly quotes', '{"to": “x”}', 'The JSON is broken at line 1, column 8'],
    ['a list', '[]', 'The body must be a JSON object'],
  ] as const) {
    it(`400 for JSON with ${what} says where`, async () => {
      const answer = await app.call('POST', '/api/v1/messages/send', { key: account.key, body });
      const {
        status,
        body: { details, hints },
      } = answer;
      assert.deepEqual([status, details, hints], [400, [{ field: '', message: 'Invalid JSON body' }], [where]]);
    });
  }
});
