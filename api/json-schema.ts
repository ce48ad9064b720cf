/** JSON Schema 2020-12 of a Joi schema. Joi writes it; `meta` adds what Joi cannot say, for example the format of a text. */
import type Joi from 'joi';

export type Json = Record<string, unknown>;

/** The schema as a plain object. For requests `isOpen`: unknown fields are ignored, not refused. */
export function jsonSchema(schema: Joi.Schema, { isOpen = false } = {}): Json {
  const standard = (schema as unknown as { '~standard': { jsonSchema: { input(options: { target: string }): Json } } })['~standard'];
  return completed(standard.jsonSchema.input({ target: 'draft-2020-12' }), schema.describe(), isOpen);
}

function completed(json: Json, { keys, items, metas }: Joi.Description, isOpen: boolean): Json {
  const extra: Json = Object.assign({}, ...((metas ?? []) as Json[]));
  // A query's number is a text to Joi: where meta names another type, nothing that was said of the text holds.
  const merged: Json = 'type' in extra ? extra : { ...json, ...extra };
  const fields = (keys ?? {}) as Record<string, Joi.Description>;
  const inside = (name: string, property: Json) => (fields[name] === undefined ? property : completed(property, fields[name], isOpen));
  if (json.properties !== undefined) {
    merged.properties = Object.fromEntries(
      Object.entries(json.properties as Record<string, Json>).map(([name, property]) => [name, inside(name, property)]),
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
  return merged;
}
