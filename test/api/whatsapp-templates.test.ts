import assert from 'node:assert/strict';
import { startApp, type TestApp } from './start-app.js';

describe('content.template', () => {
  let app: TestApp;
  let key: string;
  before(async () => {
    app = await startApp();
    key = (await app.account()).key;
  });
  after(() => app.close());
  const preview = (body: object) => app.call('POST', '/api/v1/messages/preview', { body, headers: { 'X-API-Key': key } });
  const single = (template: unknown, changes: object = {}) =>
    preview({ to: '+15551234567', channel: 'whatsapp', content: { text: 'Hello', template }, ...changes });
  const bulk = (template: object, recipients: unknown[]) =>
    preview({ channel: 'whatsapp', content: { text: 'Hello', template }, recipients });
  const template = { name: 'order_update', language: 'en_US' };

  for (const [given, error] of [
    [{}, 'Missing required field: content.template.name'],
    [{ name: 'order_update' }, 'Missing required field: content.template.language'],
    ['order_update', 'content.template must be an object'],
    [{ ...template, name: 'order update' }, 'content.template.name must be 1 to 512 letters, digits or underscores'],
    [{ ...template, language: 'English!' }, 'content.template.language must be a language such as en or en_US'],
    [{ ...template, variables: [] }, 'content.template.variables must be an object'],
    [{ ...template, variables: { 1: 7 } }, 'content.template.variables.1 must be a string'],
    [{ ...template, variables: { 1: '' } }, 'content.template.variables.1 must be 1 to 1024 characters'],
    [{ ...template, variables: { 'a-b': 'x' } }, 'content.template.variables must have names of 1 to 64 letters, digits or underscores'],
    [
      { ...template, variables: Object.fromEntries(Array.from({ length: 51 }, (_, index) => [index + 1, 'x'])) },
      'content.template.variables must have at most 50 entries',
    ],
  ] as const) {
    it(`400 ${error}`, async () => {
      const { status, body } = await single(given);
      assert.deepEqual([status, body.error], [400, error]);
    });
  }

  it('needs a text beside it, as every message does', async () => {
    const { status, body } = await single(template, { content: { template } });
    assert.deepEqual([status, body.error], [400, 'Missing required field: content.text']);
  });

  it('is kept on WhatsApp alone', async () => {
    const headers = { 'X-API-Key': key };
    const contentOn = async (channel: string) => {
      const message = { to: '+15551234567', channel, content: { text: 'Hello', template } };
      return (await app.call('POST', '/api/v1/messages/send', { body: message, headers })).body.data.message.content;
    };
    assert.deepEqual([await contentOn('whatsapp'), await contentOn('sms')], [{ text: 'Hello', template }, { text: 'Hello' }]);
  });

  it('of a bulk send wants the variables of its placeholders from every recipient', async () => {
    const variables = { 1: 'Hello {{ name }}', 2: '{{ day | today }}' };
    const { body } = await bulk({ ...template, variables }, [{ to: '+15551234567', name: 'Ada' }, '+15551234568']);
    assert.deepEqual(
      body.data.messages.map(({ errors }: { errors: object[] }) => errors),
      [[], [{ field: 'recipients[1].variables.name', message: 'Missing required field: recipients[1].variables.name' }]],
    );
    const malformed = await bulk({ ...template, variables: { 1: '{{ first name }}' } }, ['+15551234567']);
    assert.equal(malformed.body.error, 'content.template.variables.1 has an invalid placeholder: {{ first name }}');
    const long = await bulk({ ...template, variables: { 1: '{{ name }}' } }, [{ to: '+15551234567', name: 'x'.repeat(1025) }]);
    assert.deepEqual(long.body.data.messages[0].errors, [
      { field: 'recipients[0]', message: 'content.template.variables.1 must be 1 to 1024 characters' },
    ]);
  });
});
