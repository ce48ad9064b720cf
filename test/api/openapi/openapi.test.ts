import assert from 'node:assert/strict';
import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { endpoints } from '../../../api/endpoints/index.js';
import { openapi } from '../../../api/openapi/openapi.js';
import { operationIdOf } from '../../../api/openapi/webhooks.js';
import { useApi } from '../use-api.js';

interface Operation {
  operationId: string;
  description?: string;
  parameters: { name: string; in: string; schema: object }[];
  requestBody?: { content: { 'application/json': { schema: { $ref: string } } } };
  responses: Record<string, { description: string; content: { 'application/json': { schema: object } } }>;
  security: object[];
}
interface Named {
  oneOf?: { $ref: string }[];
  required?: string[];
  additionalProperties?: boolean;
}
const document = openapi(endpoints) as { openapi: string; paths: Record<string, Record<string, Operation>> };
const { schemas, pathItems } = (document as unknown as { components: { schemas: Record<string, Named>; pathItems: typeof document.paths } })
  .components;
const named = ({ $ref }: { $ref: string }) => schemas[$ref.replace('#/components/schemas/', '')];
const operations = Object.values(document.paths).flatMap((path) => Object.values(path));

describe('/openapi.json', () => {
  const app = useApi();

  it('200 for /openapi.json without a credential', async () => {
    const { status, body } = await app.call('GET', '/openapi.json');
    assert.equal(status, 200);
    const servers = [{ url: app.deps.config.publicUrl, description: 'This installation' }];
    assert.deepEqual(body, JSON.parse(JSON.stringify({ ...document, servers })));
    assert.equal(new URL(servers[0]?.url ?? '').pathname, '/');
    assert.equal(body.openapi, '3.1.0');
  });
  it('the OpenAPI document describes every endpoint once', () => {
    assert.deepEqual(operations.map(({ operationId }) => operationId).toSorted(), endpoints.map(({ id }) => id).toSorted());
  });
  it('each operationId becomes a name in any language, also those of webhooks', () => {
    const ofWebhooks = Object.values(pathItems).flatMap((path) => Object.values(path));
    assert.ok(ofWebhooks.length > 0);
    for (const { operationId } of [...operations, ...ofWebhooks]) assert.match(operationId, /^[a-z][A-Za-z]+$/);
    assert.equal(operationIdOf('webhook.secret_rotated'), 'webhookSecretRotated');
  });
  it('the OpenAPI document says how each request of a provider or mail program is authenticated', () => {
    const needs = Object.entries(document.paths).flatMap(([path, { post }]) => {
      const [last = ''] = post?.description?.split('\n').slice(-1) ?? [];
      return last.startsWith('Authenticated') ? [[path, last]] : [];
    });
    const bySignature = 'Authenticated by the signature of the provider over the raw body.';
    assert.deepEqual(Object.fromEntries(needs), {
      '/api/v1/billing/webhook': bySignature,
      '/callbacks/{provider}': bySignature,
      '/unsubscribe/{token}': 'Authenticated by the signed token in the URL.',
    });
  });
  it('the OpenAPI document has schemas that compile', () => {
    const ajv = new Ajv2020({ strict: true, strictRequired: false, allowUnionTypes: true });
    formats.default(ajv);
    ajv.addKeyword('components');
    const compile = (schema: object) => ajv.compile({ ...schema, components: { schemas } });
    for (const { responses, requestBody, parameters } of operations) {
      for (const [status, { content }] of Object.entries(responses))
        if (status.startsWith('2') && status !== '204')
          compile(
            (content['application/json'] ?? (content as Record<string, { schema: object }>)['application/x-ndjson'] ?? { schema: {} })
              .schema,
          );
      if (requestBody !== undefined) compile(requestBody.content['application/json'].schema);
      for (const { schema } of parameters) compile(schema);
    }
  });
  it('the OpenAPI document states required fields, answers and credential of a send, and allows unknown fields', () => {
    const send = document.paths['/api/v1/messages/send']?.post;
    const body = send?.requestBody?.content['application/json'].schema ?? { $ref: '' };
    const shapes = named(body)?.oneOf?.map((shape) => named(shape)) ?? [];
    assert.equal(body.$ref, '#/components/schemas/SendMessageRequest');
    assert.deepEqual(
      shapes.map((shape) => shape?.required),
      [
        ['to', 'channel', 'content'],
        ['to', 'channel', 'content'],
        ['contact_id', 'channel', 'content'],
      ],
    );
    for (const shape of shapes) assert.equal(shape?.additionalProperties, undefined);
    assert.deepEqual(Object.keys(send?.responses ?? {}), [
      '201',
      '400',
      '401',
      '402',
      '403',
      '404',
      '409',
      '413',
      '422',
      '429',
      '500',
      '503',
    ]);
    assert.deepEqual(send?.security, [{ apiKey: [] }]);
  });
  it('the OpenAPI document says that an operation with a body or an API key can be 503', () => {
    const refusable = endpoints.filter(({ body, auth }) => body !== undefined || auth === 'provider' || typeof auth === 'object');
    assert.ok(refusable.length > 60);
    for (const { id } of refusable) {
      const responses = operations.find(({ operationId }) => operationId === id)?.responses;
      assert.match(String(responses?.['503']?.description), /`The service is busy\. Please try again later\.`/, id);
    }
  });
  it('the OpenAPI document states the limits of parameters, and an example of an id', () => {
    const list = document.paths['/api/v1/messages']?.get;
    const limit = list?.parameters.find(({ name }) => name === 'limit');
    assert.deepEqual(limit?.schema, { type: 'integer', minimum: 1, maximum: 100, default: 50 });
    assert.deepEqual(document.paths['/api/v1/webhooks/{id}']?.get?.parameters[0], {
      name: 'id',
      in: 'path',
      required: true,
      description: 'The id of the webhook',
      schema: { type: 'string', format: 'uuid' },
      example: '0198c5b1-0a10-7f3e-8b1d-000000000006',
    });
  });
});
