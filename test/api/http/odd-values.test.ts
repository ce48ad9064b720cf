/** Values that pass a first look and fail later: they must be refused, because an error of ours could also fail the requests of others. */
import assert from 'node:assert/strict';
import { useApi } from '../use-api.js';
import type { Account } from '../start-app.js';

const message = { to: '+15551234567', channel: 'sms', content: { text: 'Hello' } };
const bulk = { channel: 'sms', content: { text: 'Hello' }, recipients: ['+15551234567'] };

describe('odd values', () => {
  const app = useApi();
  let account: Account;
  beforeEach(async () => {
    account = await app.account();
  });
  const post = (path: string, body: unknown) =>
    app.call(
      'POST',
      `/api/v1/${path}`,
      path.startsWith('messages') || path === 'suppressions' ? { key: account.key, body } : { jwt: account.jwt, body },
    );

  for (const [field, time] of [
    ['expires_at', '9999-12-31T23:59:59-14:00'],
    ['expires_at', '9999-12-31T23:59:59-00:01'],
    ['scheduled_at', '1000-01-01T00:00:00+00:01'],
  ] as const) {
    for (const [path, body] of [
      ['messages/send', message],
      ['messages/preview', message],
      ...(field === 'expires_at'
        ? ([
            ['suppressions', { channel: 'sms', recipient: '+15551234567' }],
            ['api-keys', { name: 'x' }],
          ] as const)
        : []),
    ] as const) {
      it(`400 for a time outside the years 1000 to 9999 in UTC: ${path} with ${field} ${time}`, async () => {
        const { status, body: answer } = await post(path, { ...body, [field]: time });
        assert.deepEqual([status, answer.error], [400, 'Invalid date format']);
      });
    }
  }

  it('201 for the last time of the year 9999', async () => {
    assert.equal((await post('messages/send', { ...message, expires_at: '9999-12-31T23:59:59.999Z' })).status, 201);
  });

  const deep = `${'['.repeat(45_000)}${']'.repeat(45_000)}`;
  for (const path of ['messages/send', 'messages/preview', 'messages/bulk']) {
    for (const [what, text] of [
      ['content', `"content":${deep}`],
      ['content.template', `"content":{"text":"x","template":${deep}}`],
      ['fallback', `"content":{"text":"x"},"fallback":${deep}`],
    ] as const) {
      if (what === 'fallback' && path === 'messages/bulk') continue; // bulk sends have none, so the field is ignored
      it(`400 for lists nested 45,000 levels deep: ${path} with ${what}`, async () => {
        const { content: _, ...rest } = path === 'messages/bulk' ? bulk : message;
        const { status, body } = await post(path, `${JSON.stringify(rest).slice(0, -1)},${text}}`);
        assert.deepEqual([status, body.code], [400, 'validation_failed']);
      });
    }
  }
});
