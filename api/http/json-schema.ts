/** Converts a Joi schema to JSON Schema 2020-12. Joi does most of it; `meta` adds what Joi cannot express, for example the format of a text. */
import type Joi from 'joi';

export type Json = Record<string, unknown>;

/**
 * Returns the JSON Schema. `isOpen` is for requests, where unknown fields are ignored instead of refused.
 *
 * `meta({ variants: [{ properties, required }, …] })` declares that a body has one of several shapes. Each shape is written out in full,
 * so that code generators understand it.
 */
export function jsonSchema(schema: Joi.Schema, { isOpen = false } = {}): Json {
  const standard = (schema as unknown as { '~standard': { jsonSchema: { input(options: { target: string }): Json } } })['~standard'];
  return completed(standard.jsonSchema.input({ target: 'draft-2020-12' }), schema.describe(), isOpen);
}

function completed(json: Json, { keys, items, metas, flags }: Joi.Description, isOpen: boolean): Json {
  const { variants, ...extra }: Json = Object.assign({}, ...((metas ?? []) as Json[]));
  const { description } = (flags ?? {}) as { description?: string };
  // A number in a query is a text for Joi. If `meta` declares another type, only the description of the text is kept.
  const merged: Json = 'type' in extra ? { ...(description === undefined ? {} : { description }), ...extra } : { ...json, ...extra };
  const fields = (keys ?? {}) as Record<string, Joi.Description>;
  if (json.properties !== undefined) {
    const required = (merged.required ?? []) as string[];
    merged.properties = Object.fromEntries(
      Object.entries(json.properties as Record<string, Json>).map(([name, property]) => {
        const field = fields[name];
        if (field === undefined) return [name, property];
        const inner = completed(property, field, isOpen);
        return [name, required.includes(name) ? inner : withAbsent(inner, field)];
      }),
    );
  }
  const [item] = (items ?? []) as Joi.Description[];
  if (item !== undefined && json.items !== undefined) merged.items = completed(json.items as Json, item, isOpen);
  // Joi omits null from the list of allowed values.
  if (Array.isArray(json.enum) && Array.isArray(json.type) && json.type.includes('null')) merged.enum = [...json.enum, null];
  // Joi writes an `anyOf` with one entry if a value counts as absent.
  if (Array.isArray(merged.anyOf) && merged.anyOf.length === 1) {
    Object.assign(merged, merged.anyOf[0]);
    delete merged.anyOf;
  }
  if (isOpen) delete merged.additionalProperties;
  // A free-form object. Without `additionalProperties`, code generators treat it as an empty object.
  if ([json.type].flat().includes('object') && json.properties === undefined && !('anyOf' in merged)) {
    merged.additionalProperties = extra.additionalProperties ?? true;
  }
  return Array.isArray(variants) ? { anyOf: variants.map((variant) => overlaid(merged, variant as Json)) } : merged;
}

/** Also allows the values that count as absent. */
function withAbsent(property: Json, { flags }: Joi.Description): Json {
  const absent = ((flags as { empty?: Joi.Description } | undefined)?.empty?.allow ?? []) as unknown[];
  const { minLength, ...rest } = property;
  const result: Json = absent.includes('') || minLength === undefined ? rest : property;
  if (!absent.includes(null)) return result;
  if (Array.isArray(result.anyOf)) return { ...result, anyOf: [...result.anyOf, { type: 'null' }] };
  return {
    ...result,
    type: [...new Set([result.type, 'null'].flat())],
    ...(Array.isArray(result.enum) ? { enum: [...new Set([...result.enum, null])] } : {}),
  };
}

/** Merges objects recursively. Any other value replaces the previous one. */
function overlaid(base: Json, over: Json): Json {
  const isObject = (value: unknown): value is Json => typeof value === 'object' && value !== null && !Array.isArray(value);
  const entries = Object.entries(over).map(([name, value]) => {
    const below = base[name];
    return [name, isObject(below) && isObject(value) ? overlaid(below, value) : value];
  });
  return { ...base, ...(Object.fromEntries(entries) as Json) };
}
