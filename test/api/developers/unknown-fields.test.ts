import assert from 'node:assert/strict';
import type { Account } from '../start-app.js';
import { useApi } from '../use-api.js';

const good = { to: '+15551234567', channel: 'sms', content: { text: 'Hello' } };

describe('unknown fields', () => {
  const app = useApi();
  let account: Account;
  before(async () => {
    account = await app.account();
  });

  const post = (path: string, body: object) => app.call('POST', `/api/v1${path}`, { key: account.key, body });
  const send = (more: object) => post('/messages/send', { ...good, ...more });
  const unknown = (field: string, meant: string) => ({ field, message: `Unknown field: ${field}. Did you mean ${meant}?` });

  for (const [what, more, field, meant] of [
    ['with a letter missing', { schedule_at: '2026-12-01T10:00:00Z' }, 'schedule_at', 'scheduled_at'],
    ['in another style', { scheduledAt: '2026-12-01T10:00:00Z' }, 'scheduledAt', 'scheduled_at'],
    ['in an object', { content: { text: 'Hello', Html: '<p>' } }, 'content.Html', 'content.html'],
    ['in a list', { fallback: [{ chanel: 'email', channel: 'sms', after: 5 }] }, 'fallback[0].chanel', 'fallback[0].channel'],
  ] as const) {
    it(`400 for an unknown field ${what}, and nothing is charged`, async () => {
      const { status, body } = await send(more);
      assert.deepEqual([status, body.error, body.code], [400, unknown(field, meant).message, 'validation_failed']);
      assert.deepEqual(body.details, [unknown(field, meant)]);
      const listed = await app.call('GET', '/api/v1/messages?limit=1', { key: account.key });
      assert.equal(listed.body.data.pagination.total, 0);
    });
  }
  it('400 for an unknown field names the other faults too, in the order of the fields', async () => {
    const { status, body } = await post('/messages/send', { to: 'x', chanel: 'sms', content: { text: 'Hello' } });
    assert.equal(status, 400);
    assert.deepEqual(body.details, [unknown('chanel', 'channel'), { field: 'channel', message: 'Missing required field: channel' }]);
    const other = await post('/messages/send', { channel: 'sms', to: 'x', content: {}, schedule_at: '' });
    assert.deepEqual(
      other.body.details.map(({ field }: { field: string }) => field),
      ['to', 'content.text', 'schedule_at'],
    );
  });
  it('400 for an unknown query parameter that looks like a known one', async () => {
    const { status, body } = await app.call('GET', '/api/v1/messages?Status=sent', { key: account.key });
    assert.deepEqual([status, body.details], [400, [unknown('Status', 'status')]]);
  });
  it('400 for a query parameter that is given twice, with the known one that it looks like', async () => {
    const { status, body } = await app.call('GET', '/api/v1/messages?Status=sent&Status=failed&to=x&to=y', { key: account.key });
    assert.deepEqual([status, body.details], [400, [unknown('Status', 'status'), { field: 'to', message: 'to must be given once' }]]);
  });
  it('400 for the preview of a single and of a bulk send with an unknown field', async () => {
    const bulk = { channel: 'sms', content: { text: 'Hello' }, recipients: [good.to] };
    for (const [body, fault] of [
      [{ ...good, referense: 'x' }, unknown('referense', 'reference')],
      [{ ...bulk, onInvalid: 'skip' }, unknown('onInvalid', 'on_invalid')],
    ] as const) {
      const { status, body: answer } = await post('/messages/preview', body);
      assert.deepEqual([status, answer.details], [400, [fault]]);
    }
  });
  it('400 for an unknown object in a recipient of a bulk send that looks like a known field', async () => {
    const recipients = [{ to: good.to, Variables: { name: 'Ann' } }];
    const { status, body } = await post('/messages/bulk', { channel: 'sms', content: { text: 'Hello' }, recipients });
    assert.deepEqual([status, body.details], [400, [unknown('recipients[0].Variables', 'recipients[0].variables')]]);
  });

  it('201 for an unknown field that is like no other, and the header names it', async () => {
    const { status, body, headers } = await send({ colour: 'red', content: { text: 'Hello', 'ü,\n': 1 } });
    assert.deepEqual([status, headers.get('ignored-fields')], [201, 'content.%C3%BC%2C%0A, colour']);
    assert.doesNotMatch(JSON.stringify(body), /colour|"red"/);
  });
  it('201 for an unknown field of a recipient that is no variable, 200 in a preview, and the header names it', async () => {
    const recipients = [good.to, { to: '+15551234568', colour: 'red', labels: ['a'], 'home address': { city: 'Oslo' }, none: null }];
    const body = { channel: 'sms', content: { text: 'Hello' }, recipients };
    for (const [path, expected] of [
      ['/messages/bulk', 201],
      ['/messages/preview', 200],
    ] as const) {
      const { status, headers } = await post(path, { ...body, note: 1 });
      assert.deepEqual([status, headers.get('ignored-fields')], [expected, 'note, recipients[1].labels, recipients[1].home%20address']);
    }
  });
  it('201 for a field __proto__, at any depth, and the header names it', async () => {
    const content = '{"text":"Hello","__proto__":{"text":"x"}}';
    const text = `{"__proto__":{"to":"x"},"channel":"sms","content":${content},"recipients":[{"to":"${good.to}","__proto__":{"to":"x"}}]}`;
    const { status, headers } = await app.call('POST', '/api/v1/messages/bulk', { key: account.key, body: text });
    assert.deepEqual([status, headers.get('ignored-fields')], [201, '__proto__, content.__proto__, recipients[0].__proto__']);
  });
  it('200 for an unknown query parameter that is like no other, and the header names it', async () => {
    const { status, headers } = await app.call('GET', '/api/v1/messages?search=hook', { key: account.key });
    assert.deepEqual([status, headers.get('ignored-fields')], [200, 'search']);
  });
  it('404 for an unknown id, and the header names ignored fields too', async () => {
    const { status, headers } = await app.call('GET', '/api/v1/messages/x?verbose=1', { key: account.key });
    assert.deepEqual([status, headers.get('ignored-fields')], [404, 'verbose']);
  });
  it('200 or 404 for a body of an operation that takes none, and the header names its fields', async () => {
    const { body: sent } = await send({ scheduled_at: new Date(Date.now() + 3_600_000).toISOString() });
    const path = `/messages/${sent.data.message.id}/cancel`;
    const { status, headers } = await post(path, { reason: 'by mistake', more: { colour: 'red' }, ü: 1 });
    assert.deepEqual([status, headers.get('ignored-fields')], [200, 'reason, more, %C3%BC']);
    const unknownId = await app.call('DELETE', '/api/v1/contacts/x', {
      key: account.key,
      body: '{"__proto__":1,"colour":{"__proto__":2}}',
    });
    assert.deepEqual([unknownId.status, unknownId.headers.get('ignored-fields')], [404, '__proto__, colour']);
    for (const body of ['', '{}', '{"reason":', '["reason"]', '5', 'reason=mistake', `{"reason":"${'x'.repeat(200_000)}"}`]) {
      const again = await app.call('POST', `/api/v1${path}`, { key: account.key, body });
      assert.deepEqual([again.status, again.headers.get('ignored-fields')], [200, null], body.slice(0, 20));
    }
  });
  it('201 for a content field that the channel does not have, 200 in a preview, and the header names it', async () => {
    const content = { text: 'Hello', foo: 1, subject: 'S', html: '<p>', unsubscribe: true, template: { name: 'hello', language: 'en' } };
    for (const [channel, to, others] of [
      ['sms', good.to, 'content.subject, content.html, content.unsubscribe, content.template'],
      ['whatsapp', good.to, 'content.subject, content.html, content.unsubscribe'],
      ['email', 'ann@example.com', 'content.template'],
    ] as const) {
      for (const [path, more, expected] of [
        ['/messages/send', { to }, 201],
        ['/messages/bulk', { recipients: [to] }, 201],
        ['/messages/preview', { to }, 200],
        ['/messages/preview', { recipients: [to] }, 200],
      ] as const) {
        const { status, headers } = await post(path, { channel, content, ...more });
        assert.deepEqual([status, headers.get('ignored-fields')], [expected, `content.foo, ${others}`], `${path} ${channel}`);
      }
    }
  });
  it('the header does not name a content field that is empty, or that a step of the fallback sends', async () => {
    const fallback = [{ channel: 'email', to: 'ann@example.com', after: 60 }];
    const template = { name: 'hello', language: 'en' };
    const { status, headers } = await send({ content: { text: 'Hello', subject: 'S', html: '', template }, fallback });
    assert.deepEqual([status, headers.get('ignored-fields')], [201, 'content.template']);
  });
  it('a warning in the preview of a single send names a content field that the channel does not have', async () => {
    const { body } = await post('/messages/preview', { ...good, content: { text: 'Hello', subject: 'S' } });
    assert.deepEqual(body.data.warnings, [{ field: 'content.subject', message: 'content.subject is ignored: it is not sent on sms' }]);
  });
  for (const path of ['/balance', '/export', '/stream']) {
    for (const method of ['GET', 'HEAD']) {
      it(`200 for ${method} ${path} with an unknown query parameter, and the header names it`, async () => {
        const query = `/api/v1${path}?x=1`;
        const credentials = path === '/export' ? { Authorization: `Bearer ${account.jwt}` } : { 'X-API-Key': account.key };
        const response = await fetch(app.url + query, { method, headers: credentials });
        await response.body?.cancel();
        assert.deepEqual([response.status, response.headers.get('ignored-fields')], [200, 'x']);
      });
    }
  }
  it('an answer has no Ignored-Fields header without ignored fields', async () => {
    const { headers } = await send({ metadata: { Metadata: 1, schedule_at: 2 } });
    assert.equal(headers.get('ignored-fields'), null);
  });
  it('201 with nine thousand unknown fields, and the header stays short', async () => {
    const many = Object.fromEntries(Array.from({ length: 9000 }, (_, index) => [`x${index}`, 1]));
    const { status, headers } = await send(many);
    assert.equal(status, 201);
    assert.match(headers.get('ignored-fields') ?? '', /^x0, x1, .*, \.\.\.$/);
    assert.ok((headers.get('ignored-fields') ?? '').length < 200);
  });
});
