/** The examples, links and error texts of the OpenAPI document: each is what its schema says. */
import assert from 'node:assert/strict';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { components, type Content, document, operations } from './document.js';
import { channels } from '../../../models/channels.js';
import { eventTypes, testEventType } from '../../../models/rules/webhooks/events.js';

const ajv = new Ajv2020({ strict: false, allErrors: true });
formats.default(ajv);

const validators = new Map<string, ValidateFunction>();

/** Most answers have a schema of another operation: that of an error, a list or a resource. */
function validatorOf(schema: object): ValidateFunction {
  const text = JSON.stringify(schema);
  const validate = validators.get(text) ?? ajv.compile({ ...schema, components });
  validators.set(text, validate);
  return validate;
}

/** Asserts that there are examples, and that each is what the schema says. */
function assertExamples(what: string, { content }: Content): void {
  const { schema, example, examples = {} } = Object.values(content ?? {})[0] ?? { schema: {} };
  const values = [...(example === undefined ? [] : [example]), ...Object.values(examples).map(({ value }) => value)];
  assert.ok(values.length > 0, `${what} has no example: add it to api/openapi/samples/`);
  const validate = validatorOf(schema);
  for (const value of values) assert.ok(validate(value), `${what}: ${JSON.stringify(validate.errors)}`);
}

describe('the OpenAPI document', () => {
  for (const operation of operations) {
    it(`the OpenAPI document shows ${operation.operationId} with examples of the request and of every answer`, () => {
      assert.ok(operation.summary !== '' && operation.description !== '');
      if (operation.requestBody !== undefined) assertExamples(`${operation.operationId} request`, operation.requestBody);
      for (const [status, response] of Object.entries(operation.responses)) {
        if (status !== '204') assertExamples(`${operation.operationId} ${status}`, response);
        const headers = Object.keys(response.headers ?? {});
        for (const name of ['X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-RateLimit-Reset', 'X-Request-Id'])
          assert.ok(headers.includes(name));
        assert.equal(headers.includes('WWW-Authenticate'), status === '401');
        assert.equal(
          headers.includes('Retry-After'),
          status === '429' || (status >= '500' && !['getHealth503', 'getReadiness503'].includes(operation.operationId + status)),
        );
      }
    });
  }

  it('links of the OpenAPI document lead from a creation to the operations on the created resource', () => {
    const links = operations.flatMap(({ responses }) =>
      Object.values(responses).flatMap((response) => Object.values(response.links ?? {}).map((link) => ({ link, response }))),
    );
    for (const { link, response } of links) {
      const target = operations.find(({ operationId }) => operationId === link.operationId);
      assert.deepEqual(
        target?.parameters.filter((parameter) => parameter.in === 'path').map(({ name }) => name),
        ['id'],
      );
      const steps = link.parameters.id?.replace('$response.body#/', '').split('/') ?? [];
      const found = steps.reduce<unknown>(
        (value, step) => (value as Record<string, unknown>)[step],
        response.content?.['application/json']?.example,
      );
      assert.match(String(found), /^[0-9a-f-]{36}$/, link.operationId);
    }
    const targets = links.map(({ link }) => link.operationId);
    for (const wanted of ['cancelMessage', 'pauseBatch', 'deactivateApiKey', 'updateContact', 'deleteSuppression', 'replayDeliveries'])
      assert.ok(targets.includes(wanted), wanted);
  });

  it('the OpenAPI document shows the exact error texts', () => {
    const responses = document.paths['/api/v1/messages/send']?.post?.responses ?? {};
    for (const [status, texts] of Object.entries({
      400: [
        'Phone number must be in E.164 format',
        `Invalid channel. Must be one of: ${channels.join(', ')}`,
        'Missing required field: content.text',
      ],
      401: ['Missing X-API-Key header', 'Invalid API key', 'API key has been deactivated'],
      402: ['Insufficient credits. You need 2.5 credits but have 0.1.'],
      403: ['API key does not have required scope: send_messages'],
      422: ['Idempotency key was used with a different request'],
      429: ['Rate limit exceeded. Try again in 7 seconds.'],
      500: ['Internal server error. Please try again later.'],
    })) {
      for (const text of texts) assert.ok(responses[status]?.description.includes(`\`${text}\``), `${status} ${text}`);
    }
  });

  it('the OpenAPI document describes the events of messages and the test event with headers and examples', () => {
    assert.deepEqual(Object.keys(document.webhooks), [...eventTypes, testEventType]);
    for (const [type, { $ref }] of Object.entries(document.webhooks)) assert.equal($ref, `#/components/pathItems/${type}`);
    assert.deepEqual(Object.keys(components.pathItems), Object.keys(document.webhooks));
    for (const [type, { post }] of Object.entries(components.pathItems)) {
      assertExamples(type, post.requestBody as Content);
      assert.deepEqual(
        post.parameters.map(({ name }) => name),
        ['X-Service-Event', 'X-Service-Signature', 'webhook-id', 'webhook-timestamp', 'webhook-signature'],
      );
    }
  });
});
