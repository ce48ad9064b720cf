/** Converts a Joi schema to JSON Schema 2020-12. Joi does most of it; `meta` adds what Joi cannot express, for example the format of a text. */
import type Joi from 'joi';
import { type Components, isNullable, type Json, nullable, refer, resolved, withoutNull } from './schema-components.js';

export type { Components, Json } from './schema-components.js';

/** Converts a schema that is part of another one. */
export type Convert = (schema: Joi.Schema) => Json;

interface Target {
  /**
   * For requests, where unknown fields are ignored instead of refused, and for clients, which must ignore new fields of responses. Default: with
   * `components` true, because a document has each named schema only once.
   */
  isOpen?: boolean;
  /** Collects the named schemas. Without it, they are written out where they are used. */
  components?: Components;
  /** Leaves out variants, for readers that know plain objects only. */
  isFlat?: boolean;
}

/** Gives a schema a name: clients that are generated from the document get a type of this name. */
export const named = <S extends Joi.Schema>(component: string, schema: S): S => schema.meta({ component }) as S;

/** The name of a schema. @throws Error when it has none */
export function nameOf(schema: Joi.Schema): string {
  // Not `describe`, which checks the whole schema: this runs for each list and resource when the process starts.
  const { component } = metaOf({ metas: schema.$_terms.metas });
  if (component === undefined) throw new Error('the schema has no name: declare it with `named`');
  return component;
}

/**
 * Returns the JSON Schema. What Joi does not know is declared with `meta`:
 * - `component`: the name of the schema, see `named`
 * - `variants`: a body has one of several shapes. Each is written out in full, so that code generators understand it, and laid over the fields
 *   of the schema: `{ component, properties, required }`. A property that is null is left out.
 * - `derive`: keywords that contain other schemas, unless they are declared
 * - anything else is a keyword of JSON Schema
 */
export function jsonSchema(schema: Joi.Schema, target: Target = {}): Json {
  const standard = (schema as unknown as { '~standard': { jsonSchema: { input(options: { target: string }): Json } } })['~standard'];
  return completed(standard.jsonSchema.input({ target: 'draft-2020-12' }), schema.describe(), target);
}

interface Meta {
  component: string | undefined;
  variants: Json[] | undefined;
  derive: ((convert: Convert) => Json) | undefined;
  keywords: Json;
}

function metaOf({ metas }: Pick<Joi.Description, 'metas'>): Meta {
  const { component, variants, derive, ...keywords } = Object.assign({}, ...((metas ?? []) as Json[])) as Json & Partial<Meta>;
  return { component, variants, derive, keywords };
}

function completed(json: Json, description: Joi.Description, target: Target): Json {
  const { component, variants, derive, keywords } = metaOf(description);
  const extra: Json = { ...derive?.((schema) => jsonSchema(schema, target)), ...keywords };
  const { description: text } = (description.flags ?? {}) as { description?: string };
  // A number in a query is a text for Joi. If `meta` declares another type, only the description of the text is kept.
  const merged: Json = 'type' in extra ? { ...(text === undefined ? {} : { description: text }), ...extra } : { ...json, ...extra };
  completeParts(merged, json, description, target);
  correctKeywords(merged, json);
  if (target.isOpen ?? target.components !== undefined) {
    delete merged.additionalProperties;
    // openapi-typescript requires a field of a body that has a default.
    if (extra.default === undefined) delete merged.default;
  }
  // A free-form object. Without `additionalProperties`, code generators treat it as an empty object.
  if ([json.type].flat().includes('object') && json.properties === undefined && !('anyOf' in merged)) {
    merged.additionalProperties = extra.additionalProperties ?? true;
  }
  const whole =
    variants === undefined || target.isFlat === true ? merged : { oneOf: variants.map((variant) => overlaid(merged, variant, target)) };
  return asComponent(component, whole, target);
}

/** Corrects keywords that Joi writes in a form that code generators cannot use. */
function correctKeywords(merged: Json, json: Json): void {
  // Joi omits null from the list of allowed values.
  if (Array.isArray(json.enum) && Array.isArray(json.type) && json.type.includes('null')) merged.enum = [...json.enum, null];
  // Joi writes an `anyOf` with one entry if a value counts as absent.
  if (Array.isArray(merged.anyOf) && merged.anyOf.length === 1) {
    Object.assign(merged, merged.anyOf[0]);
    delete merged.anyOf;
  }
  // The format says it already, and generated clients cannot measure a date.
  if (merged.format === 'uuid' || merged.format === 'date-time') delete merged.minLength;
}

/** Converts the properties of an object and the items of a list. */
function completeParts(merged: Json, json: Json, { keys, items }: Joi.Description, target: Target): void {
  const fields = (keys ?? {}) as Record<string, Joi.Description>;
  if (json.properties !== undefined) {
    const required = (merged.required ?? []) as string[];
    merged.properties = Object.fromEntries(
      Object.entries(json.properties as Record<string, Json>).map(([name, property]) => {
        const field = fields[name];
        if (field === undefined) return [name, property];
        const inner = completed(property, field, target);
        return [name, required.includes(name) ? inner : withAbsent(inner, field)];
      }),
    );
  }
  const [item] = (items ?? []) as Joi.Description[];
  if (item !== undefined && json.items !== undefined) merged.items = completed(json.items as Json, item, target);
}

/** Replaces a named schema by a reference. Null and the description belong to the place where it is used. */
function asComponent(component: string | undefined, whole: Json, { components }: Target): Json {
  if (component === undefined || components === undefined) return whole;
  const { description, ...schema } = whole;
  const reference = refer(components, component, withoutNull(schema));
  return {
    ...(isNullable(schema) ? nullable(reference) : reference),
    ...(description === undefined ? {} : { description }),
  };
}

/** Also allows the values that count as absent. */
function withAbsent(property: Json, { flags }: Joi.Description): Json {
  const absent = ((flags as { empty?: Joi.Description } | undefined)?.empty?.allow ?? []) as unknown[];
  const { minLength, ...rest } = property;
  const result: Json = absent.includes('') || minLength === undefined ? rest : property;
  return absent.includes(null) && !isNullable(result) ? nullable(result) : result;
}

/** Merges objects recursively. Any other value replaces the previous one; null removes it. The result may have a name of its own. */
function overlaid(below: Json, { component, ...over }: Json & { component?: string }, target: Target): Json {
  const base = resolved(below, target.components);
  const isObject = (value: unknown): value is Json => typeof value === 'object' && value !== null && !Array.isArray(value);
  const merged: Json = { ...base };
  for (const [name, value] of Object.entries(over)) {
    const known = base[name];
    if (value === null) delete merged[name];
    else merged[name] = isObject(known) && isObject(value) ? overlaid(known, value, target) : value;
  }
  // The description stays inside: code generators do not find a type whose reference in an alternative says more than its name.
  return component === undefined || target.components === undefined ? merged : refer(target.components, component, merged);
}
