/** The OpenAPI document as client authors use it: linted, with examples that are right. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { endpoints } from '../../../api/endpoints/index.js';
import { openapi } from '../../../api/openapi/openapi.js';
import { root } from '../../deploy/project.js';

interface Content {
  content?: Record<string, { schema: object; example?: unknown; examples?: Record<string, { value: unknown }> }>;
}
interface Link {
  operationId: string;
  parameters: Record<string, string>;
}
interface Operation {
  operationId: string;
  summary: string;
  description: string;
  requestBody?: Content;
  tags: string[];
  parameters: { name: string; in: string; schema: { type?: string; format?: string }; example?: unknown }[];
  responses: Record<string, Content & { description: string; headers?: object; links?: Record<string, Link> }>;
}
interface Document {
  paths: Record<string, Record<string, Operation>>;
  webhooks: Record<string, { $ref: string }>;
  components: { schemas: Record<string, Schema>; pathItems: Record<string, { post: Operation }> };
  servers: { url: string }[];
  tags: { name: string }[];
}
interface Schema {
  type?: string | string[];
  enum?: string[];
  properties?: object;
}

const document = JSON.parse(JSON.stringify(openapi(endpoints))) as Document;
const operations = Object.values(document.paths).flatMap((path) => Object.values(path));
const ajv = new Ajv2020({ strict: false, allErrors: true });
formats.default(ajv);
const { components } = document;

/** Asserts that there are examples, and that each is what the schema says. */
function assertExamples(what: string, { content }: Content): void {
  const { schema, example, examples = {} } = Object.values(content ?? {})[0] ?? { schema: {} };
  const values = [...(example === undefined ? [] : [example]), ...Object.values(examples).map(({ value }) => value)];
  assert.ok(values.length > 0, `${what} has no example: add it to api/openapi/samples/`);
  const validate = ajv.compile({ ...schema, components });
  for (const value of values) assert.ok(validate(value), `${what}: ${JSON.stringify(validate.errors)}`);
}

/** The paths of all objects in the document that are found, apart from those in examples. */
function placesOf(value: unknown, isFound: (value: object, path: string) => boolean, path = ''): string[] {
  if (typeof value !== 'object' || value === null) return [];
  const inner = Object.entries(value).filter(([key]) => key !== 'example' && key !== 'examples');
  return [...(isFound(value, path) ? [path] : []), ...inner.flatMap(([key, one]) => placesOf(one, isFound, `${path}/${key}`))];
}

describe('the OpenAPI document', () => {
  it('passes the linter without a warning', function () {
    this.timeout(60_000);
    const folder = mkdtempSync(join(tmpdir(), 'tidings-openapi-'));
    try {
      writeFileSync(join(folder, 'openapi.json'), JSON.stringify(document));
      const run = spawnSync(
        process.execPath,
        // /messages/bulk/{id} and /messages/{id}/cancel are both wanted; a concrete part goes before a template (OpenAPI, Paths Object).
        [
          join(root, 'node_modules/@redocly/cli/bin/cli.js'),
          'lint',
          'openapi.json',
          '--extends=recommended',
          '--skip-rule=no-ambiguous-paths',
          '--format=json',
        ],
        { cwd: folder, encoding: 'utf8', env: { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' } },
      );
      const { problems } = JSON.parse(run.stdout) as { problems: { ruleId: string; message: string; location: { pointer?: string }[] }[] };
      assert.deepEqual(
        problems.map(({ ruleId, message, location }) => `${ruleId} ${location[0]?.pointer}: ${message}`),
        [],
      );
      assert.equal(run.status, 0);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });

  for (const operation of operations) {
    it(`shows ${operation.operationId} with examples of the request and of every answer`, () => {
      assert.ok(operation.summary !== '' && operation.description !== '');
      if (operation.requestBody !== undefined) assertExamples(`${operation.operationId} request`, operation.requestBody);
      for (const [status, response] of Object.entries(operation.responses)) {
        if (status !== '204') assertExamples(`${operation.operationId} ${status}`, response);
        const headers = Object.keys(response.headers ?? {});
        for (const name of ['X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-RateLimit-Reset', 'X-Request-Id'])
          assert.ok(headers.includes(name));
        assert.equal(
          headers.includes('Retry-After'),
          status === '429' || (status >= '500' && !['getHealth503', 'getReadiness503'].includes(operation.operationId + status)),
        );
      }
    });
  }

  it('links each creation to the operations on the created resource', () => {
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

  it('shows the exact error texts', () => {
    const responses = document.paths['/api/v1/messages/send']?.post?.responses ?? {};
    for (const [status, texts] of Object.entries({
      400: [
        'Phone number must be in E.164 format',
        'Invalid channel. Must be one of: sms, whatsapp, email',
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

  it('names every object, so that clients get a type for it', () => {
    const isNamed = (path: string) => /^\/components\/schemas\/\w+$/.test(path);
    const isUnnamed = (value: object, path: string) => 'properties' in value && !isNamed(path) && !path.endsWith('/properties');
    assert.deepEqual(placesOf(document, isUnnamed), []);
    assert.ok(Object.keys(components.schemas).length > 100);
  });

  it('allows null only beside something else', () => {
    const isBare = (value: { type?: unknown }, path: string) => value.type === 'null' && !path.endsWith('/anyOf/1');
    assert.deepEqual(placesOf(document, isBare), []);
  });

  it('fixes no boolean to one value, which Python clients would refuse', () => {
    const isFixed = (value: { type?: unknown }) => value.type === 'boolean' && ('const' in value || 'enum' in value);
    assert.deepEqual(placesOf(document, isFixed), []);
  });

  it('has names that collide in no language', () => {
    const names = Object.keys(components.schemas);
    // Go makes constants of the values of named enums, and functions `New…` for objects, all in one namespace.
    const constants = Object.values(components.schemas).flatMap((schema) => schema.enum ?? []);
    assert.deepEqual(
      constants.filter((value, index) => constants.indexOf(value) !== index),
      [],
    );
    assert.deepEqual(
      names.filter((name) => name.startsWith('New') && names.includes(name.slice(3))),
      [],
    );
    // Generated clients put the operations of a tag, events too, into one class.
    const ofEvents = Object.values(components.pathItems).flatMap(({ post }) => post.tags);
    assert.deepEqual(
      operations.filter(({ tags }) => tags.some((tag) => ofEvents.includes(tag))),
      [],
    );
    const declared = document.tags.map(({ name }) => name);
    for (const { tags, operationId } of operations) {
      assert.ok(
        tags.every((tag) => declared.includes(tag)),
        operationId,
      );
      assert.match(operationId, /^[a-z]+([A-Z][a-z]+)*$/);
    }
  });

  it('gives ids the same format in paths, queries and bodies', () => {
    const isId = (name: string) => /^id$|_id$/.test(name) && name !== 'last_event_id'; // that is a position in a stream
    const parameters = operations.flatMap((operation) => operation.parameters).filter(({ name }) => isId(name));
    assert.ok(parameters.length > 20);
    for (const { name, schema } of parameters) assert.deepEqual([name, schema.type, schema.format], [name, 'string', 'uuid']);
  });

  it('describes the four events with headers and examples', () => {
    assert.deepEqual(Object.keys(document.webhooks), ['message.queued', 'message.sent', 'message.delivered', 'message.failed']);
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
