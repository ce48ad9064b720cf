import assert from 'node:assert/strict';
import type { Account } from '../start-app.js';
import { useApi } from '../use-api.js';

const bytesMax = 100_000; // below the longest body
/** As many of these items as a body may have. */
const many = (item: unknown) => Array.from({ length: Math.floor(bytesMax / (JSON.stringify(item).length + 1)) }, () => item);

describe('lists of tens of thousands of items', () => {
  const app = useApi();
  let account: Account;
  before(async () => {
    account = await app.account();
  });

  const lists: [string, string, string, Record<string, unknown>, number][] = [
    ['scopes', 'POST', '/api/v1/api-keys', { name: 'key' }, 100],
    ['events', 'POST', '/api/v1/webhooks', { url: 'https://example.com/hook' }, 100],
    ['tags', 'POST', '/api/v1/contacts', { phone: '+15551234567' }, 50],
  ];
  for (const [name, method, path, rest, max] of lists) {
    it(`${name}: 400 with one fault for any items`, async () => {
      for (const item of [1, 'x', null, '', {}, []]) {
        const answer = await app.call(method, path, { jwt: account.jwt, body: { ...rest, [name]: many(item) } });
        assert.equal(answer.status, 400, JSON.stringify(item));
        assert.deepEqual(answer.body.details, [{ field: name, message: `${name} must have at most ${max} items` }]);
      }
    });
    it(`${name}: 400 names each wrong item of a short list`, async () => {
      const answer = await app.call(method, path, { jwt: account.jwt, body: { ...rest, [name]: [1, 2] } });
      assert.equal(answer.body.details[0].message, `${name}[0] must be a string`);
      assert.equal(answer.body.details.length, 2);
    });
  }

  it('400 with one fault for tens of thousands of wrong retry_delays', async () => {
    const retry_delays = Array.from({ length: 30_000 }, () => ({}));
    const body = { url: 'https://example.com/hook', events: ['message.sent'], retry_delays };
    const answer = await app.call('POST', '/api/v1/webhooks', { jwt: account.jwt, body });
    assert.equal(answer.status, 400);
    const message = 'retry_delays must be a list of at most 20 whole numbers of seconds, each from 1 to 604800';
    assert.deepEqual(answer.body.details, [{ field: 'retry_delays', message }]);
  });

  it('400 for an empty list of scopes or events', async () => {
    const scopes = await app.call('POST', '/api/v1/api-keys', { jwt: account.jwt, body: { name: 'key', scopes: [] } });
    assert.equal(scopes.status, 400);
    assert.match(scopes.body.error, /^Invalid scopes\. Must be one of: send_messages, /);
    const events = await app.call('POST', '/api/v1/webhooks', { jwt: account.jwt, body: { url: 'https://example.com/', events: [] } });
    assert.equal(events.status, 400);
    assert.match(events.body.error, /^Invalid events\. Must be one of: message\.queued, /);
  });

  it('400 with a hundred faults, and the number of further ones', async () => {
    const recipients = Array.from({ length: 5_000 }, () => 'x');
    const body = { channel: 'sms', content: { text: 'Hi' }, recipients };
    const { status, body: answer } = await app.call('POST', '/api/v1/messages/bulk', { key: account.key, body });
    assert.equal(status, 400);
    assert.equal(answer.details.length, 100);
    assert.deepEqual(answer.details.at(-1), { field: 'recipients', message: '4,901 more errors are not listed' });
  });
});
