/** The schemas of requests in the OpenAPI document: they take what the service takes, so that typed clients can send it. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import type { Account } from '../start-app.js';
import { useApi } from '../use-api.js';
import { components, operations } from './document.js';

type Field = Record<string, unknown> & { items?: Field; properties?: Record<string, Field> };
const ajv = new Ajv2020({ strict: false, allErrors: true });
formats.default(ajv);
const schemas = components.schemas as Record<string, Field>;
const fieldOf = (component: string, name: string): Field => schemas[component]?.properties?.[name] ?? {};

describe('the schemas of requests', () => {
  const app = useApi();
  let account: Account;
  before(async () => {
    account = await app.account();
  });

  const to = '+15551234567';
  const sms = (text: string, more: object) => ({ to, channel: 'sms', content: { text }, ...more });
  const mail = (subject: string, more: object) => ({ to: 'a@example.com', channel: 'email', content: { text: 'Hi', subject }, ...more });
  const filler = 'x'.repeat(2000);
  const long = `{{a|${filler}}}`;
  const template = {
    name: 'hello',
    language: 'en',
    header: { type: 'text', text: long },
    buttons: [{ index: 0, type: 'url', suffix: long }],
  };
  for (const [what, body] of [
    ['a text that is short once its variables are filled in', sms(long, { variables: { a: 'b' } })],
    ['a subject that is short once its variables are filled in', mail(long, { variables: { a: 'b' } })],
    [
      'a template that is short once its variables are filled in',
      {
        ...sms('Hi', { variables: { a: 'b' } }),
        channel: 'whatsapp',
        content: { text: 'Hi', template: { ...template, variables: { one: long } } },
      },
    ],
    ['a variable of each kind', sms('{{a}}{{b}}{{c}}{{d|}}', { variables: { a: 'b', b: 5, c: true, d: null } })],
    [
      'null for what a recipient may leave out',
      { ...sms('Hi', { recipients: [{ to, variables: null, metadata: null, reference: null }] }), to: undefined },
    ],
    ['a field of a recipient that is a variable', { ...sms('Hi {{name}}', { recipients: [{ to, name: 'Ada', n: 5 }] }), to: undefined }],
    ['a contact_id beside a to, which is a variable', { ...sms('Hi', { recipients: [{ to, contact_id: randomUUID() }] }), to: undefined }],
  ] as const) {
    it(`the schemas of requests take ${what}, as the service does`, async () => {
      const { status, body: answer } = await app.call('POST', '/api/v1/messages/preview', { key: account.key, body });
      assert.equal(status, 200, JSON.stringify(answer));
      assert.deepEqual(answer.data.messages[0].errors, []);
      const validate = ajv.compile({ $ref: '#/components/schemas/PreviewMessagesRequest', components });
      assert.ok(validate(JSON.parse(JSON.stringify(body))), JSON.stringify(validate.errors));
    });
  }

  for (const empty of [null, '', undefined]) {
    it(`the schemas of requests take a contact_id beside a to that is ${JSON.stringify(empty)}`, () => {
      const validate = ajv.compile({ $ref: '#/components/schemas/BulkRecipient', components });
      assert.ok(validate({ contact_id: randomUUID(), ...(empty === undefined ? {} : { to: empty }) }), JSON.stringify(validate.errors));
    });
  }
  for (const wrong of [5, false, {}]) {
    it(`the schemas of requests refuse a contact_id beside a to that is ${JSON.stringify(wrong)}, as the service does`, async () => {
      const recipient = { contact_id: randomUUID(), to: wrong };
      const body = { channel: 'sms', content: { text: 'Hi' }, recipients: [recipient] };
      const { body: answer } = await app.call('POST', '/api/v1/messages/bulk', { key: account.key, body });
      assert.deepEqual(answer.details, [{ field: 'recipients[0].to', message: 'recipients[0].to must be a string' }]);
      assert.ok(!ajv.compile({ $ref: '#/components/schemas/BulkRecipient', components })(recipient));
    });
  }
  it('the schemas of requests allow further fields of a recipient, because they are variables', () => {
    for (const name of ['RecipientByAddress', 'RecipientByContact']) assert.equal(schemas[name]?.additionalProperties, true, name);
  });
  it('the schemas of requests tell that recipients are a list and never null', () => {
    assert.equal(fieldOf('BulkToRecipients', 'recipients').type, 'array');
  });
  it('the schemas of requests tell the limits of the items of short lists', () => {
    const { retry_delays: delays, frame_ancestors: sites } = schemas.CreateWebhookRequest?.properties ?? {};
    assert.deepEqual(delays?.items, { type: 'integer', minimum: 1, maximum: 604_800 });
    assert.deepEqual(sites?.items, { type: 'string', maxLength: 255, pattern: '^https://' });
  });
  it('the schemas of requests describe only the recipients of their own kind', () => {
    assert.equal(fieldOf('SendToPhone', 'to').description, 'Phone number in E.164 format');
    assert.equal(fieldOf('SendToEmailAddress', 'to').description, 'E-mail address');
  });
  it('the schema for types of audit events takes a dot and a star literally', () => {
    const { parameters = [] } = operations.find(({ operationId }) => operationId === 'listAuditEvents') ?? {};
    const { pattern = '' } = parameters.find(({ name }) => name === 'type')?.schema ?? {};
    for (const type of ['auth.login', 'api_key.*', 'api_key.*,auth.login']) assert.match(type, new RegExp(pattern));
    for (const type of ['authXlogin', 'api_key', 'api_key..', 'api_key.*,']) assert.doesNotMatch(type, new RegExp(pattern));
  });
  it('the schemas of requests give the id of a contact the format of all ids', () => {
    for (const name of ['SendToContact', 'RecipientByContact']) assert.equal(fieldOf(name, 'contact_id').format, 'uuid', name);
  });
  for (const name of ['RotateApiKeyRequest', 'RotateWebhookSecretRequest']) {
    it(`${name} tells what overlap_hours is, with its default`, () => {
      assert.equal(
        fieldOf(name, 'overlap_hours').description,
        'Hours for which the old key or secret keeps working. 0 ends it at once. Default: 24',
      );
    });
  }
});
