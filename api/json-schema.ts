/** JSON Schema 2020-12 of a Joi schema. Joi writes it; `meta` adds what Joi cannot say, for example the format of a text. */
import type Joi from 'joi';

export type Json = Record<string, unknown>;

/** The schema as a plain object. For requests `isOpen`: unknown fields are ignored, not refused. */
export function jsonSchema(schema: Joi.Schema, { isOpen = false } = {}): Json {
  const standard = (schema as unknown as { '~standard': { jsonSchema: { input(options: { target: string }): Json } } })['~standard'];
  return withMeta(standard.jsonSchema.input({ target: 'draft-2020-12' }), schema.describe(), isOpen);
}

function withMeta(json: Json, { keys, metas }: Joi.Description, isOpen: boolean): Json {
  const properties = Object.entries((json.properties ?? {}) as Record<string, Json>).map(([name, property]) => {
    const description = (keys as Record<string, Joi.Description> | undefined)?.[name];
    return [name, description === undefined ? property : withMeta(property, description, isOpen)];
  });
  const merged: Json = Object.assign({}, json, ...((metas ?? []) as Json[]));
  if (json.properties !== undefined) merged.properties = Object.fromEntries(properties);
  if (isOpen) delete merged.additionalProperties;
  return merged;
}
