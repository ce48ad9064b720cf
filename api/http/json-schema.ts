/** JSON Schema 2020-12 of a Joi schema. Joi writes it; `meta` adds what Joi cannot say, for example the format of a text. */
import type Joi from 'joi';

export type Json = Record<string, unknown>;

/**
 * The schema as a plain object. For requests `isOpen`: unknown fields are ignored, not refused.
 *
 * `meta({ variants: [{ properties, required }, …] })` tells that a body has one of several shapes: each is written out, so that
 * generators of types and of requests understand it.
 */
export function jsonSchema(schema: Joi.Schema, { isOpen = false } = {}): Json {
  const standard = (schema as unknown as { '~standard': { jsonSchema: { input(options: { target: string }): Json } } })['~standard'];
  return completed(standard.jsonSchema.input({ target: 'draft-2020-12' }), schema.describe(), isOpen);
}

function completed(json: Json, { keys, items, metas, flags }: Joi.Description, isOpen: boolean): Json {
  const { variants, ...extra }: Json = Object.assign({}, ...((metas ?? []) as Json[]));
  const { description } = (flags ?? {}) as { description?: string };
  // A query's number is a text to Joi: where meta names another type, nothing that was said of the text holds but what it is.
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
  // Joi forgets null in the list of values that it allows.
  if (Array.isArray(json.enum) && Array.isArray(json.type) && json.type.includes('null')) merged.enum = [...json.enum, null];
  // Joi writes a choice of one where a value may also be one that it leaves out.
  if (Array.isArray(merged.anyOf) && merged.anyOf.length === 1) {
    Object.assign(merged, merged.anyOf[0]);
    delete merged.anyOf;
  }
  if (isOpen) delete merged.additionalProperties;
  // Free-form: without this word generators of types take it for an object that is always empty.
  if ([json.type].flat().includes('object') && json.properties === undefined && !('anyOf' in merged)) {
    merged.additionalProperties = extra.additionalProperties ?? true;
  }
  return Array.isArray(variants) ? { anyOf: variants.map((variant) => overlaid(merged, variant as Json)) } : merged;
}

/** The values that count as absent may be sent too. */
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

/** Objects are laid over each other, everything else takes the place of what was there. */
function overlaid(base: Json, over: Json): Json {
  const isObject = (value: unknown): value is Json => typeof value === 'object' && value !== null && !Array.isArray(value);
  const entries = Object.entries(over).map(([name, value]) => {
    const below = base[name];
    return [name, isObject(below) && isObject(value) ? overlaid(below, value) : value];
  });
  return { ...base, ...(Object.fromEntries(entries) as Json) };
}
