/** Named JSON Schemas: `components.schemas` of the OpenAPI document. */
import { isDeepStrictEqual } from 'node:util';

export type Json = Record<string, unknown>;

/** The named schemas of a document, by name. */
export type Components = Map<string, Json>;

const prefix = '#/components/schemas/';

/**
 * Adds a schema under its name.
 * @returns the reference to it
 * @throws Error when another schema has this name
 */
export function refer(components: Components, name: string, schema: Json): Json {
  const known = components.get(name);
  if (known !== undefined && !isDeepStrictEqual(known, schema)) {
    throw new Error(`two schemas are called ${name}: ${JSON.stringify(known)} and ${JSON.stringify(schema)}`);
  }
  components.set(name, schema);
  return { $ref: prefix + name };
}

/** The schema that a reference points to; any other schema unchanged. */
export function resolved(schema: Json, components: Components | undefined): Json {
  return typeof schema.$ref === 'string' ? (components?.get(schema.$ref.slice(prefix.length)) ?? schema) : schema;
}

const isNull = (schema: Json) => schema.type === 'null';

/** Whether the schema allows null. */
export const isNullable = ({ type, anyOf }: Json): boolean =>
  [type].flat().includes('null') || (Array.isArray(anyOf) && (anyOf as Json[]).some(isNull));

/** Also allows null. */
export function nullable(schema: Json): Json {
  if (Array.isArray(schema.anyOf)) return { ...schema, anyOf: [...(schema.anyOf as Json[]), { type: 'null' }] };
  if (schema.type === undefined) {
    const { $ref, ...rest } = schema;
    return { anyOf: [{ $ref }, { type: 'null' }], ...rest };
  }
  // Code generators take null in a list of values for one more name.
  if (Array.isArray(schema.enum)) {
    const { description, ...values } = schema;
    return { anyOf: [values, { type: 'null' }], ...(description === undefined ? {} : { description }) };
  }
  return { ...schema, type: [...new Set([schema.type, 'null'].flat())] };
}

/** The same schema without null. */
export function withoutNull(schema: Json): Json {
  if (!isNullable(schema)) return schema;
  if (Array.isArray(schema.anyOf)) {
    const others = (schema.anyOf as Json[]).filter((one) => !isNull(one));
    const { anyOf: _, ...rest } = schema;
    return others.length === 1 ? { ...rest, ...others[0] } : { ...rest, anyOf: others };
  }
  const types = [schema.type].flat().filter((type) => type !== 'null');
  return {
    ...schema,
    type: types.length === 1 ? types[0] : types,
    ...(Array.isArray(schema.enum) ? { enum: (schema.enum as unknown[]).filter((value) => value !== null) } : {}),
  };
}
