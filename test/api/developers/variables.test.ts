import assert from 'node:assert/strict';
import type { Account } from '../start-app.js';
import { useApi } from '../use-api.js';

const to = '+15551234567';
const sms = (text: string, more: object = {}) => ({ to, channel: 'sms', content: { text }, ...more });

describe('variables of a single send', () => {
  const app = useApi();
  let account: Account;
  before(async () => {
    account = await app.account();
  });
  const post = (path: string, body: object, headers = {}) =>
    app.call('POST', `/api/v1/messages/${path}`, { key: account.key, body, headers });
  const missing = (field: string) => ({ field, message: `Missing required field: ${field}` });

  it('201 for a send whose placeholders are filled in once, and which is priced as rendered', async () => {
    const text = 'Hi {{ name }}, {{n|none}} of {{ total | 9 }} \\{{x}}';
    const { status, body } = await post('send', sms(text, { variables: { name: '{{n}}', n: 3, other: true } }));
    assert.equal(status, 201);
    assert.equal(body.data.message.content.text, 'Hi {{n}}, 3 of 9 {{x}}');
    const long = await post('send', sms('{{a}}', { variables: { a: 'x'.repeat(161) } }));
    assert.deepEqual([long.body.data.message.credits_used, long.body.data.message.segments], [2, 2]);
  });
  it('201 for an e-mail whose subject and html are rendered too, with values escaped in html', async () => {
    const content = { subject: 'For {{n}}', text: 'Hi {{n}}', html: '<b>{{n}}</b>' };
    const { status, body } = await post('send', { to: 'a@example.com', channel: 'email', content, variables: { n: '<A&B>' } });
    assert.equal(status, 201);
    assert.deepEqual(body.data.message.content, { subject: 'For <A&B>', text: 'Hi <A&B>', html: '<b>&lt;A&amp;B&gt;</b>' });
  });
  it('201 for a text with placeholders, sent literally without variables or with null', async () => {
    for (const more of [{}, { variables: null }]) {
      const { status, body } = await post('send', sms('Hi {{name}}', more));
      assert.deepEqual([status, body.data.message.content.text], [201, 'Hi {{name}}']);
    }
  });
  it('400 for missing variables beside faults of other fields, in the order of the body', async () => {
    const { status, body } = await post('send', { ...sms('{{a}}', { variables: {}, reference: '' }), to: 'x' });
    assert.deepEqual([status, body.details.map(({ field }: { field: string }) => field)], [400, ['to', 'variables.a', 'reference']]);
    for (const more of [{ channel: 'fax' }, { content: null }, { content: { text: 5 } }, { fallback: [5] }]) {
      const unreadable = await post('send', { ...sms('{{a}}', { variables: {} }), ...more });
      assert.deepEqual([unreadable.status, unreadable.body.details.length], [400, 1], JSON.stringify(more));
    }
  });
  it('400 for each variable that a send lacks, and nothing is charged', async () => {
    const before = await app.call('GET', '/api/v1/messages?limit=1', { key: account.key });
    const { status, body } = await post('send', sms('{{a}} {{b}} {{c|}}', { variables: {} }));
    assert.deepEqual([status, body.details], [400, [missing('variables.a'), missing('variables.b')]]);
    const after = await app.call('GET', '/api/v1/messages?limit=1', { key: account.key });
    assert.deepEqual(after.body.data.pagination, before.body.data.pagination);
  });
  for (const [what, text, variables, message] of [
    ['a bad placeholder', 'Hi {{na me}}', {}, 'content.text has an invalid placeholder: {{na me}}'],
    ['a value that is no scalar', 'Hi {{a}}', { a: [] }, 'variables.a must be a string'],
    ['variables that are no object', 'Hi {{a}}', 'a', 'variables must be an object'],
    ['an empty rendering', '{{a}}', { a: '' }, 'Missing required field: content.text'],
    ['a rendering that is too long', '{{a}}', { a: 'x'.repeat(1601) }, 'content.text must be at most 1600 characters'],
  ] as const) {
    it(`400 for a send with ${what}`, async () => {
      const { status, body } = await post('send', sms(text, { variables }));
      assert.deepEqual([status, body.error], [400, message]);
    });
  }
  it('400 for a text that its variables empty, and the hint says so, alone and in a bulk send', async () => {
    const recipient = { to: '+15551234567', variables: { a: '' } };
    const hints = ['The text is empty once its variables are filled in. Give at least one of them a value'];
    const { message } = missing('content.text');
    const single = await post('send', { ...sms('{{a}}'), ...recipient });
    assert.deepEqual([single.status, single.body.details, single.body.hints], [400, [{ field: 'content.text', message }], hints]);
    const bulk = await post('bulk', { channel: 'sms', content: { text: '{{a}}' }, recipients: [recipient] });
    assert.deepEqual([bulk.status, bulk.body.details, bulk.body.hints], [400, [{ field: 'recipients[0]', message }], hints]);
  });
  it('409 for a send with more placeholders than a content may have', async () => {
    const { status, body } = await post('send', sms('{{a}}'.repeat(201), { variables: { a: 'x' } }));
    assert.deepEqual([status, body.code], [409, 'limit_reached']);
  });
  it('201 for a text that is short enough only when it is rendered', async () => {
    assert.equal((await post('send', sms(`{{ a ${' '.repeat(1600)} }}`, { variables: { a: 'x' } }))).status, 201);
  });
  it('201 for a subject that is short enough only when it is rendered, 400 for a rendered one that is too long', async () => {
    const content = { text: 'Hi', subject: `{{ a | ${'x'.repeat(998)} }}` };
    const subjectIs = async (a: string) => (await post('send', { to: 'a@example.com', channel: 'email', content, variables: { a } })).body;
    assert.equal((await subjectIs('Hello')).data?.message.content.subject, 'Hello');
    const message = 'content.subject must be one line of at most 998 characters';
    for (const a of ['x'.repeat(999), 'a\nb']) assert.deepEqual((await subjectIs(a)).details, [{ field: 'content.subject', message }]);
  });
  it('422 for a used idempotency key with another template that renders the same', async () => {
    const headers = { 'Idempotency-Key': 'k1' };
    const first = await post('send', sms('Hi {{a}}', { variables: { a: 'x' } }), headers);
    const again = await post('send', sms('Hi {{a}}', { variables: { a: 'x' } }), headers);
    assert.deepEqual([again.status, again.body.data], [201, first.body.data]);
    assert.equal((await post('send', sms('Hi x', { variables: { a: 'x' } }), headers)).status, 422);
    assert.equal((await post('send', sms('Hi x'), headers)).status, 422);
  });
  it('400 for a variable that only a step of the fallback lacks, and 201 with it', async () => {
    const body = { ...sms('Hi {{a}}', { variables: { a: 'Ann' } }), fallback: [{ channel: 'email', to: 'a@example.com', after: 60 }] };
    const content = { text: 'Hi {{a}}', subject: '{{s}}' };
    assert.deepEqual((await post('send', { ...body, content })).body.details, [missing('variables.s')]);
    const { status } = await post('send', { ...body, content, variables: { a: 'Ann', s: 'Hello' } });
    assert.equal(status, 201);
    assert.equal((await post('send', { ...sms('Hi {{a}}', { variables: { a: 'Ann' } }), content })).status, 201);
  });

  it('200 for the preview of a send with variables, which shows the rendered text', async () => {
    const { status, body } = await post('preview', sms('Hi {{a}}', { variables: { a: 'Ann' } }));
    assert.equal(status, 200);
    assert.deepEqual([body.data.messages[0].text, body.data.warnings], ['Hi Ann', undefined]);
    assert.equal((await post('preview', sms('Hi {{a}}', { variables: {} }))).status, 400);
  });
  it('a preview without variables warns of each text that has placeholders', async () => {
    const { status, body } = await post('preview', sms('Hi {{a}}'));
    assert.equal(status, 200);
    assert.deepEqual(body.data.warnings, [
      { field: 'content.text', message: 'content.text has placeholders, which are sent literally unless variables are given' },
    ]);
    assert.equal((await post('preview', sms('Hi'))).body.data.warnings, undefined);
  });
  it('a preview warns of what a send accepts and hardly anybody means', async () => {
    const suppressed = '+15557770000';
    await app.call('POST', '/api/v1/suppressions', { key: account.key, body: { channel: 'sms', recipient: suppressed } });
    const warned = async (message: object) => {
      const { status, body } = await post('preview', message);
      assert.equal(status, 200);
      return (body.data.warnings ?? []).map(({ field }: { field: string }) => field);
    };
    assert.deepEqual(await warned({ ...sms('Hi'), to: suppressed }), ['to']);
    for (const impossible of ['+1555', '+1555123456']) assert.deepEqual(await warned({ ...sms('Hi'), to: impossible }), ['to']);
    assert.deepEqual(await warned({ ...sms('Hi'), scheduled_at: '2020-01-01T00:00:00Z' }), ['scheduled_at']);
    const mail = { to: 'a@example.com', channel: 'email' };
    for (const given of [{}, { subject: '  ' }])
      assert.deepEqual(await warned({ ...mail, content: { text: 'Hi', ...given } }), ['content.subject']);
    assert.deepEqual(await warned({ ...mail, content: { text: 'Hi', subject: 'Hello' } }), []);
    const variables = { 1: 'two\nlines', 2: 'a\ttab', 3: 'five     spaces', 4: 'four    spaces', 5: '{{street}}' };
    const template = { name: 'order_shipped', language: 'en', variables };
    const whatsapp = { to: '+15551234567', channel: 'whatsapp', variables: { street: 'Main Street 1\nSpringfield' } };
    assert.deepEqual(
      await warned({ ...whatsapp, content: { text: 'Hi', template } }),
      [1, 2, 3, 5].map((name) => `content.template.variables.${name}`),
    );
  });
});
