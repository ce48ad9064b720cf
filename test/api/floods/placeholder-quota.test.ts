import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import type { Account } from '../start-app.js';
import { useApi } from '../use-api.js';
import { channels } from '../../../models/channels.js';
import { faultTexts } from '../../../models/errors.js';
import { phoneText } from '../../../models/rules/messages/recipient.js';

describe('the quota of placeholders', () => {
  const app = useApi({ env: { MAX_PLACEHOLDERS: '5' }, checksBooks: true });
  let account: Account;
  beforeEach(async () => {
    account = await app.account();
  });

  for (const path of ['bulk', 'preview']) {
    it(`${path}: 409 for too many placeholders, and no text is rendered`, async () => {
      const body = { channel: 'email', recipients: ['a@example.com'] }; // without a value for any placeholder
      const ask = (content: object) => app.call('POST', `/api/v1/messages/${path}`, { key: account.key, body: { ...body, content } });
      const refused = await ask({ text: '{{a}} {{b}} {{c|x}}', subject: '{{d}}', html: '{{e}} \\{{ {{f}}' });
      assert.deepEqual([refused.status, refused.body.error], [409, 'A content can have at most 5 placeholders']);
      assert.equal(refused.body.code, 'limit_reached');
      assert.notEqual((await ask({ text: '{{a}} {{b}} {{c|x}}', subject: '{{d}}', html: '{{e}} \\{{' })).status, 409);
    });

    it(`${path}: 400 for another fault, also with too many placeholders`, async () => {
      const body = { channel: 'sms', recipients: ['+15551234567'], content: { text: '{{a}}'.repeat(6) } };
      for (const [wrong, headers, error] of [
        [{ channel: 'voice' }, {}, `Invalid channel. Must be one of: ${channels.join(', ')}`],
        [{ recipients: [] }, {}, 'recipients must have 1 to 10,000 items'],
        [{}, { 'Idempotency-Key': 'a b' }, faultTexts.idempotencyKey],
      ] as [object, Record<string, string>, string][]) {
        if (error === faultTexts.idempotencyKey && path === 'preview') continue;
        const refused = await app.call('POST', `/api/v1/messages/${path}`, { key: account.key, body: { ...body, ...wrong }, headers });
        assert.deepEqual([refused.status, refused.body.error], [400, error]);
      }
    });
  }

  it('400 for an invalid recipient, also with too many placeholders', async () => {
    const body = { channel: 'sms', recipients: ['+15551234567', 'nobody'], content: { text: '{{a}}'.repeat(6) } };
    const send = (more: object) => app.call('POST', '/api/v1/messages/bulk', { key: account.key, body: { ...body, ...more } });
    const refused = await send({});
    assert.deepEqual([refused.status, refused.body.details], [400, [{ field: 'recipients[1].to', message: phoneText }]]);
    assert.equal((await send({ on_invalid: 'skip' })).status, 409);
  });

  const tooMany = { text: '{{a}}'.repeat(6) };
  for (const [path, first, other] of [
    ['send', { to: '+15551234567', content: { text: 'Hi' } }, { to: '+15551234567', content: tooMany, variables: { a: 'x' } }],
    ['bulk', { recipients: ['+15551234567'], content: { text: 'Hi' } }, { recipients: ['+15551234567'], content: tooMany }],
  ] as const) {
    const send = (key: string, body: object) =>
      app.call('POST', `/api/v1/messages/${path}`, {
        key: account.key,
        body: { channel: 'sms', ...body },
        headers: { 'Idempotency-Key': key },
      });
    it(`${path}: 422 for a used idempotency key, also with too many placeholders`, async () => {
      assert.equal((await send('used', first)).status, 201);
      const refused = await send('used', other);
      assert.deepEqual([refused.status, refused.body.code], [422, 'idempotency_mismatch']);
    });
    it(`${path}: 409 for too many placeholders uses up no idempotency key`, async () => {
      assert.deepEqual([(await send('new', other)).status, (await send('new', first)).status], [409, 201]);
    });
  }

  it('400 for contacts and countries of a bulk send, before the 409 for too many placeholders', async () => {
    const { key, jwt } = account;
    const send = (more: object, path = 'bulk') =>
      app.call('POST', `/api/v1/messages/${path}`, { key, body: { channel: 'sms', content: tooMany, ...more } });
    const contact_id = randomUUID();
    await app.call('POST', '/api/v1/contacts', { key, body: { phone: '+4915112345678', tags: ['vip'] } });
    for (const path of ['bulk', 'preview']) {
      const { status, body } = await send({ tag: 'nobody' }, path);
      assert.deepEqual([status, body.error], [400, 'No contact with this tag can be reached on this channel'], path);
    }
    const unknown = await send({ recipients: [{ contact_id }] });
    assert.deepEqual([unknown.status, unknown.body.details[0].field], [400, 'recipients[0].contact_id']);
    assert.equal((await send({ tag: 'vip' })).status, 409);
    await app.call('PUT', '/api/v1/workspace', { jwt, body: { allowed_countries: ['US'] } });
    for (const more of [{ tag: 'vip' }, { recipients: ['+4915112345678'] }]) {
      const refused = await send(more);
      assert.deepEqual([refused.status, refused.body.error], [400, 'Sending to DE is not allowed']);
    }
  });

  it('400 or 404 for what else is wrong with a single send, before the 409 for too many placeholders', async () => {
    const body = { to: '+15551234567', channel: 'sms', content: tooMany, variables: { a: 'x' } };
    const { to: _to, ...toNobody } = body;
    for (const [wrong, status, error] of [
      [body, 409, 'A content can have at most 5 placeholders'],
      [{ ...body, expires_at: '2020-01-01T00:00:00Z' }, 400, 'expires_at must be in the future'],
      [{ ...body, variables: { a: {}, b: 'x' } }, 400, 'variables.a must be a string'],
      [{ ...toNobody, contact_id: randomUUID() }, 404, 'Contact not found'],
    ] as const) {
      for (const path of ['send', 'preview']) {
        const answer = await app.call('POST', `/api/v1/messages/${path}`, { key: account.key, body: wrong });
        assert.deepEqual([answer.status, answer.body.error], [status, error], path);
      }
    }
  });
});
