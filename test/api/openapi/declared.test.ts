/** What declarations say of a field with `meta` and `description`: it arrives in the OpenAPI document, whatever else the conversion derives. */
import assert from 'node:assert/strict';
import type Joi from 'joi';
import { endpoints } from '../../../api/endpoints/index.js';
import { type Json, jsonSchema } from '../../../api/http/schemas/json-schema.js';
import { isNullable, withoutNull } from '../../../api/http/schemas/schema-components.js';
import { operations } from './document.js';

interface Described {
  keys?: Record<string, Described>;
  items?: Described[];
  metas?: Json[];
  flags?: { description?: string; default?: unknown; empty?: { allow?: unknown[] } };
}

/** The keywords that a field declares, and its schema has otherwise. */
function lost({ keys = {}, items = [], metas = [], flags = {} }: Described, schema: Json, path: string): string[] {
  const { component: _c, variants: _v, derive: _d, type, minLength, ...keywords } = Object.assign({}, ...metas) as Json;
  const withoutEmpty = flags.empty?.allow?.includes('') === true;
  const declared = { ...keywords, ...(withoutEmpty || minLength === undefined ? {} : { minLength }) };
  const plain = withoutNull(schema);
  const types = (given: Json) => [withoutNull(given).type].flat();
  const described = { ...plain, description: schema.description };
  const expected = { ...declared, ...(flags.description === undefined ? {} : { description: flags.description }) };
  const missing = Object.entries(expected).filter(([name, value]) => JSON.stringify(described[name as never]) !== JSON.stringify(value));
  const wrongType = type !== undefined && types({ type }).join() !== types(plain).join();
  const { properties = {} } = plain as { properties?: Record<string, Json> };
  const [item] = items;
  return [
    ...missing.map(([name]) => `${path} ${name}`),
    ...(wrongType || (isNullable({ type }) && !isNullable(schema)) ? [`${path} type`] : []),
    ...Object.entries(keys).flatMap(([name, key]) => lost(key, properties[name] ?? {}, `${path}.${name}`)),
    ...(item === undefined ? [] : lost(item, (plain.items ?? {}) as Json, `${path}[]`)),
  ];
}

describe('the declarations of fields', () => {
  it('every keyword of a declaration arrives in the OpenAPI document', () => {
    const found = endpoints.flatMap(({ id, body, query, response }) =>
      Object.entries({ body, query, response }).flatMap(([part, schema]: [string, Joi.Schema | undefined]) =>
        schema === undefined ? [] : lost(schema.describe() as Described, jsonSchema(schema, { isFlat: true }), `${id} ${part}`),
      ),
    );
    assert.deepEqual(found, []);
  });

  it('every default of a query arrives in the OpenAPI document', () => {
    for (const { id, query } of endpoints) {
      const { parameters = [] } = operations.find(({ operationId }) => operationId === id) ?? {};
      for (const [field, { flags }] of Object.entries((query?.describe() as Described | undefined)?.keys ?? {})) {
        if (flags?.default === undefined) continue;
        const schema = parameters.find(({ name }) => name === field)?.schema as { default?: unknown } | undefined;
        assert.deepEqual([id, field, schema?.default], [id, field, flags.default]);
      }
    }
  });

  it('a response with an array has pages, unless the array is bounded', () => {
    const fieldsOf = (schema: Joi.Schema) => schema.describe().keys as Record<string, { type?: string }> | undefined;
    const unpaged = endpoints.filter(({ method, response }) => {
      const { pagination, ...fields } = fieldsOf(response) ?? {};
      return method === 'get' && pagination === undefined && Object.values(fields).some(({ type }) => type === 'array');
    });
    const bounded = ['getOverview', 'getUsage', 'listCreditPackages', 'listEventTypes'];
    assert.deepEqual(unpaged.map(({ id }) => id).toSorted(), bounded);
  });
});
