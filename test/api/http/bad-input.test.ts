import assert from 'node:assert/strict';
import { isStorable } from '../../../models/rules/values/text.js';
import { rows } from '../../support/database.js';
import { useApi } from '../use-api.js';

const nasty = [
  '\0',
  'a\0b',
  '\ud800',
  '\udfff\ud800',
  '\u202e\u200b\ufeff',
  '\u2028\u2029',
  '😀'.repeat(40),
  'ѕms',
  "'; DROP TABLE messages; --",
  '{{constructor}}',
  '${7*7}',
  '<script>alert(1)</script>',
  '../../etc/passwd',
  '%00%0d%0a',
  'a\r\nBcc: x@y.zz',
  '𝒳'.repeat(100),
  'x'.repeat(5000),
  '-1',
  '1e309',
  'NaN',
  'null',
  '__proto__',
];
const shapes: unknown[] = [null, true, 0, -1, 1e21, [], [[]], {}, { $ne: null }, { length: 5 }, ['a'], [null]];

const bulkOptions = ['metadata', 'metadata.a', 'reference', 'rate', 'scheduled_at', 'expires_at', 'on_invalid', 'allow_duplicates'];

describe('bad input', () => {
  const app = useApi();
  let key: string;
  let jwt: string;
  before(async () => {
    ({ key, jwt } = await app.account({ balance: 10_000_000 }));
  });

  const targets: [string, string, () => object, object, string[]][] = [
    [
      'POST',
      '/api/v1/messages/send',
      () => ({ key }),
      { to: '+15551234567', channel: 'sms', content: { text: 'x' } },
      ['to', 'channel', 'content', 'content.text', 'metadata', 'metadata.a', 'reference', 'scheduled_at', 'expires_at'],
    ],
    [
      'POST',
      '/api/v1/messages/send',
      () => ({ key }),
      { to: 'a@b.co', channel: 'email', content: { text: 'x' } },
      ['to', 'content.subject', 'content.html'],
    ],
    ...['/api/v1/messages/bulk', '/api/v1/messages/preview'].map((path): [string, string, () => object, object, string[]] => [
      'POST',
      path,
      () => ({ key }),
      { channel: 'email', content: { text: 'Hi {{name}}' }, recipients: [{ to: 'a@b.co', name: 'x' }] },
      ['channel', 'content', 'content.text', 'content.subject', 'content.html', 'recipients', 'recipients.0', ...bulkOptions],
    ]),
    [
      'POST',
      '/api/v1/auth/signup',
      () => ({}),
      { email: 'a@b.co', password: 'correct horse', company_name: 'x' },
      ['email', 'password', 'company_name', 'phone', 'country'],
    ],
    ['POST', '/api/v1/auth/login', () => ({}), { email: 'a@b.co', password: 'correct horse' }, ['email', 'password']],
    ['POST', '/api/v1/auth/verify-email', () => ({}), {}, ['token']],
    ['POST', '/api/v1/api-keys', () => ({ jwt }), { name: 'x' }, ['name', 'scopes', 'scopes.0']],
    [
      'POST',
      '/api/v1/webhooks',
      () => ({ jwt }),
      { url: 'https://8.8.8.8', events: ['message.sent'] },
      ['url', 'events', 'events.0', 'description'],
    ],
  ];
  for (const [method, path, credential, good, fields] of targets) {
    const comesBack = path === '/api/v1/messages/send';
    for (const field of fields) {
      it(`${method} ${path} ${field}: never 500${comesBack ? ', and what is stored comes back as it was' : ''}`, async () => {
        for (const value of [...nasty, ...shapes]) {
          const answer = await app.call(method, path, { ...credential(), body: placed(good, field, value) });
          // After five wrong passwords for an address the next has to wait.
          if (path.endsWith('/login')) await rows(app.deps.db, 'DELETE FROM login_tries');
          assert.ok([200, 201, 400, 401].includes(answer.status), `${answer.status} for ${JSON.stringify(value)}`);
          // The preview answers what is wrong with a recipient.
          const isTold = path.endsWith('/preview') && field === 'recipients.0';
          if (typeof value === 'string' && !isStorable(value) && !isTold) assert.notEqual(Math.floor(answer.status / 100), 2);
          if (answer.status !== 201 || typeof value !== 'string' || !comesBack) continue;
          const [outer = '', inner] = field.split('.');
          const seen = answer.body.data.message[outer];
          if (seen !== undefined) assert.equal(inner === undefined ? seen : seen[inner], value);
        }
      });
    }
  }
});

/** The body with one field replaced. */
function placed(good: object, field: string, value: unknown): object {
  const [outer = '', inner] = field.split('.');
  const body = structuredClone(good) as Record<string, unknown>;
  if (inner === undefined) return { ...body, [outer]: value };
  if (/^\d+$/.test(inner)) return { ...body, [outer]: [value] };
  return { ...body, [outer]: { ...(body[outer] as object | undefined), [inner]: value } };
}
