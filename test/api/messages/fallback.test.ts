import assert from 'node:assert/strict';
import { rows } from '../../support/database.js';
import { useApi } from '../use-api.js';
import { channels } from '../../../models/channels.js';

describe('the fallback of a send', () => {
  const app = useApi();
  let key: string;
  before(async () => {
    ({ key } = await app.account());
  });

  const send = (body: object) =>
    app.call('POST', '/api/v1/messages/send', { key, body: { to: '+15551234567', channel: 'sms', content: { text: 'Hello' }, ...body } });

  for (const [what, body, field, message] of [
    ['no list', { fallback: {} }, 'fallback', 'fallback must be an array'],
    ['an empty list', { fallback: [] }, 'fallback', 'fallback must have 1 to 3 items'],
    [
      'too many',
      { fallback: Array.from({ length: 4 }, () => ({ channel: 'sms', after: 1 })) },
      'fallback',
      'fallback must have 1 to 3 items',
    ],
    ['no object', { fallback: ['sms'] }, 'fallback[0]', 'fallback[0] must be an object'],
    ['null for a step', { fallback: [null] }, 'fallback[0]', 'fallback[0] must be an object'],
    [
      'a huge time',
      { fallback: [{ channel: 'sms', after: 1e308 }] },
      'fallback[0].after',
      'fallback[0].after must be a whole number from 1 to 259200',
    ],
    ['no channel', { fallback: [{ after: 1 }] }, 'fallback[0].channel', 'Missing required field: fallback[0].channel'],
    [
      'another channel',
      { fallback: [{ channel: 'voice', after: 1 }] },
      'fallback[0].channel',
      `Invalid channel. Must be one of: ${channels.join(', ')}`,
    ],
    ['no time', { fallback: [{ channel: 'sms' }] }, 'fallback[0].after', 'Missing required field: fallback[0].after'],
    ['a time in words', { fallback: [{ channel: 'sms', after: '60' }] }, 'fallback[0].after', 'fallback[0].after must be a number'],
    [
      'no whole time',
      { fallback: [{ channel: 'sms', after: 0.5 }] },
      'fallback[0].after',
      'fallback[0].after must be a whole number from 1 to 259200',
    ],
    ['nobody there', { fallback: [{ channel: 'email', after: 60 }] }, 'fallback[0].to', 'Missing required field: fallback[0].to'],
    ['a bad recipient', { fallback: [{ channel: 'email', to: 'x', after: 60 }] }, 'fallback[0].to', 'Invalid email address'],
    [
      'a text that is too long for it',
      {
        channel: 'email',
        to: 'a@example.test',
        content: { text: 'x'.repeat(1601) },
        fallback: [{ channel: 'sms', to: '+15551234567', after: 60 }],
      },
      'content.text',
      'content.text must be at most 1600 characters',
    ],
  ] as const) {
    it(`400 for a fallback with ${what}`, async () => {
      const answer = await send(body);
      assert.equal(answer.status, 400, JSON.stringify(answer.body));
      assert.deepEqual(answer.body.details, [{ field, message }]);
    });
  }

  it('201 for a send with a fallback, which is stored and shown with the message', async () => {
    const fallback = [{ channel: 'whatsapp', after: 60 }];
    const { status, body } = await send({ fallback });
    assert.equal(status, 201);
    const { id } = body.data.message;
    const shown = await app.call('GET', `/api/v1/messages/${id}`, { key });
    const steps = [{ channel: 'whatsapp', to: '+15551234567', after: 60 }];
    assert.deepEqual(shown.body.data.message.fallback, { steps, outcome: 'waiting', message_id: null });
    const plain = await app.call('GET', `/api/v1/messages/${(await send({})).body.data.message.id}`, { key });
    assert.ok(!('fallback' in plain.body.data.message), 'a message without one is as it was');
  });

  describe('in a preview', () => {
    const preview = (body: object) => app.call('POST', '/api/v1/messages/preview', { key, body });
    const body = { to: '+15551234567', channel: 'whatsapp', content: { text: 'x'.repeat(161) } };

    it('the preview of a fallback shows the price of each step and the highest total', async () => {
      const fallback = [
        { channel: 'sms', after: 60 },
        { channel: 'email', to: 'ada@example.test', after: 3600 },
      ];
      const { data } = (await preview({ ...body, fallback })).body;
      const none = { segments: null, encoding: null };
      assert.deepEqual(data.fallback, {
        steps: [
          { channel: 'sms', to: body.to, after: 60, segments: 2, encoding: 'GSM-7', credits: 2 },
          { channel: 'email', to: 'ada@example.test', after: 3600, ...none, credits: 0.1 },
        ],
        credits_max: 2,
      });
      assert.deepEqual([data.credits, data.messages.length], [0.5, 1]);
      const cheaper = await preview({ ...body, fallback: fallback.slice(1) });
      assert.equal(cheaper.body.data.fallback.credits_max, 0.5);
    });

    it('200 without steps for the preview of a send without a fallback, and 400 for the faults that a send refuses', async () => {
      const plain = await preview(body);
      assert.deepEqual([plain.status, 'fallback' in plain.body.data], [200, false]);
      const refused = await preview({ ...body, fallback: [{ channel: 'email', after: 60 }] });
      assert.deepEqual([refused.status, refused.body.error], [400, 'Missing required field: fallback[0].to']);
    });
  });

  it('a refused send with a fallback stores nothing', async () => {
    const poor = await app.account({ balance: 100 });
    const before = (await rows(app.deps.db, 'SELECT 1 FROM fallbacks')).length;
    const body = { to: '+15551234567', channel: 'sms', content: { text: 'Hello' }, fallback: [{ channel: 'whatsapp', after: 60 }] };
    assert.equal((await app.call('POST', '/api/v1/messages/send', { key: poor.key, body })).status, 402);
    assert.equal((await rows(app.deps.db, 'SELECT 1 FROM fallbacks')).length, before);
  });
});
