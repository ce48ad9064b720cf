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
  parameters: { name: string; in: string }[];
  responses: Record<string, Content & { description: string; headers?: object; links?: Record<string, Link> }>;
}
interface Document {
  paths: Record<string, Record<string, Operation>>;
  webhooks: Record<string, { post: Operation & { parameters: { name: string }[] } }>;
  components: { schemas: { Error: object } };
}

const document = JSON.parse(JSON.stringify(openapi(endpoints))) as Document;
const operations = Object.values(document.paths).flatMap((path) => Object.values(path));
const ajv = new Ajv2020({ strict: false, allErrors: true });
formats.default(ajv);
ajv.addSchema(document.components.schemas.Error, '#/components/schemas/Error');

/** Asserts that there are examples, and that each is what the schema says. */
function assertExamples(what: string, { content }: Content): void {
  const { schema, example, examples = {} } = Object.values(content ?? {})[0] ?? { schema: {} };
  const values = [...(example === undefined ? [] : [example]), ...Object.values(examples).map(({ value }) => value)];
  assert.ok(values.length > 0, `${what} has no example: add it to api/openapi/samples/`);
  const validate = ajv.compile(schema);
  for (const value of values) assert.ok(validate(value), `${what}: ${JSON.stringify(validate.errors)}`);
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
          status === '429' || (status >= '500' && !['health.get503', 'ready.get503'].includes(operation.operationId + status)),
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
    for (const wanted of [
      'messages.cancel',
      'messages.pause-bulk',
      'api-keys.delete',
      'contacts.update',
      'suppressions.delete',
      'webhooks.replay',
    ])
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

  it('describes the four events with headers and examples', () => {
    assert.deepEqual(Object.keys(document.webhooks), ['message.queued', 'message.sent', 'message.delivered', 'message.failed']);
    for (const [type, { post }] of Object.entries(document.webhooks)) {
      assertExamples(type, post.requestBody as Content);
      assert.deepEqual(
        post.parameters.map(({ name }) => name),
        ['X-Service-Event', 'X-Service-Signature', 'webhook-id', 'webhook-timestamp', 'webhook-signature'],
      );
    }
  });
});
