/** The OpenAPI document as client authors use it: linted, with names and types that generators of clients understand. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { errorCodes } from '../../../models/errors.js';
import { auditTargets, auditTypes } from '../../../models/rules/audit/audit-types.js';
import { failureCodes } from '../../../models/rules/messages/error-codes.js';
import { statusDetails } from '../../../models/rules/messages/status.js';
import { eventTypes, testEventType } from '../../../models/rules/webhooks/events.js';
import { groupBy } from '../../../models/rules/values/group-by.js';
import { root } from '../../deploy/project.js';
import { components, document, operations } from './document.js';

/** The paths of all objects in the document that are found, apart from those in examples. */
function placesOf(value: unknown, isFound: (value: object, path: string) => boolean, path = ''): string[] {
  if (typeof value !== 'object' || value === null) return [];
  const inner = Object.entries(value).filter(([key]) => key !== 'example' && key !== 'examples');
  return [...(isFound(value, path) ? [path] : []), ...inner.flatMap(([key, one]) => placesOf(one, isFound, `${path}/${key}`))];
}

describe('the OpenAPI document', () => {
  it('the OpenAPI document passes the linter without a warning', () => {
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

  it('the OpenAPI document names every object, so that clients get a type for it', () => {
    const isNamed = (path: string) => /^\/components\/schemas\/\w+$/.test(path);
    const isUnnamed = (value: object, path: string) => 'properties' in value && !isNamed(path) && !path.endsWith('/properties');
    assert.deepEqual(placesOf(document, isUnnamed), []);
    assert.ok(Object.keys(components.schemas).length > 100);
  });

  it('the OpenAPI document allows null only beside something else', () => {
    const isBare = (value: { type?: unknown }, path: string) => value.type === 'null' && !path.endsWith('/anyOf/1');
    assert.deepEqual(placesOf(document, isBare), []);
  });

  it('the OpenAPI document fixes no boolean to one value, which Python clients would refuse', () => {
    const isFixed = (value: { type?: unknown }) => value.type === 'boolean' && ('const' in value || 'enum' in value);
    assert.deepEqual(placesOf(document, isFixed), []);
  });

  it('the OpenAPI document has no value of several types, for which Go generators write nothing', () => {
    const isMixed = ({ type }: { type?: unknown }) => Array.isArray(type) && type.filter((one) => one !== 'null').length > 1;
    assert.deepEqual(placesOf(document, isMixed), []);
  });

  it('the OpenAPI document has no default in a body, which TypeScript clients would require', () => {
    const hasDefault = (value: { default?: unknown }, path: string) => 'default' in value && !path.endsWith('/properties');
    assert.deepEqual(placesOf({ schemas: components.schemas }, hasDefault), []);
  });

  it('the OpenAPI document has one name for each shape of an object, apart from those of bodies', () => {
    const shapes = Object.entries(components.schemas).filter(([name]) => !name.endsWith('Request'));
    const names = groupBy(shapes, ([, schema]) => JSON.stringify(schema));
    assert.deepEqual(
      [...names.values()].filter((same) => same.length > 1).map((same) => same.map(([name]) => name)),
      [],
    );
  });

  it('the OpenAPI document describes every parameter', () => {
    for (const { operationId, parameters } of operations)
      assert.deepEqual(
        [operationId, parameters.filter(({ description }) => (description ?? '') === '').map(({ name }) => name)],
        [operationId, []],
      );
  });

  it('the OpenAPI document lists the words for programs in the fields that have them', () => {
    for (const [component, field, values] of [
      ['Error', 'code', errorCodes],
      ['Message', 'error_code', failureCodes],
      ['OverviewFailure', 'error_code', failureCodes],
      ['MessageFailedEventData', 'error_code', failureCodes],
      ['Message', 'status_detail', statusDetails],
      ['Timeline', 'status_detail', statusDetails],
      ['Delivery', 'event', [...eventTypes, testEventType]],
      ['AuditEvent', 'type', auditTypes],
      ['AuditTarget', 'type', auditTargets],
    ] as const) {
      const { description = '' } = components.schemas[component]?.properties?.[field] ?? {};
      assert.ok(description.endsWith(`One of: ${values.join(', ')}`), `${component}.${field}: ${description}`);
    }
  });

  it('the OpenAPI document has names that collide in no language', () => {
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

  it('the OpenAPI document gives ids the same format in paths, queries and bodies', () => {
    const isId = (name: string) => /^id$|_id$/.test(name) && name !== 'last_event_id'; // that is a position in a stream
    const parameters = operations.flatMap((operation) => operation.parameters).filter(({ name }) => isId(name));
    assert.ok(parameters.length > 20);
    for (const { name, schema } of parameters) assert.deepEqual([name, schema.type, schema.format], [name, 'string', 'uuid']);
  });
});
