/** The part of the OpenAPI document that the client needs: without errors, headers and examples, which would be nine tenths of the types. */
import type { Json } from '../../../api/http/schemas/json-schema.js';

/** Whether a path belongs to what an API key can do with messages, batches, contacts, suppressions, webhooks and the account. */
export const isClientPath = (path: string): boolean => /^\/api\/v1\/(messages|contacts|suppressions|webhooks|balance$|usage$)/.test(path);
/** Whether a path belongs to what the owner of a workspace can do, by the session of the console too. */
export const isConsolePath = (path: string): boolean => /^\/(console|api\/v1)\/(?!billing\/webhook)/.test(path);

interface Operation {
  parameters?: { in: string }[];
  requestBody?: { content: { 'application/json': { schema: Json } } };
  responses: Record<string, { description: string; content?: { 'application/json'?: { schema: Json } } }>;
}

interface Document {
  openapi: string;
  info: { title: string; version: string };
  paths: Record<string, Record<string, Operation>>;
  /** References to path items. */
  webhooks: Record<string, { $ref: string }>;
  components: { schemas: Record<string, Json>; pathItems: Record<string, { post: Operation }> };
}

/** A new document with the operations at these paths: their parameters, bodies and successful responses. */
export function reduceDocument(document: Json, isKept: (path: string) => boolean): Json {
  const { openapi, info, paths, webhooks, components } = document as unknown as Document;
  const { title, version } = info;
  const kept = Object.entries(paths).filter(([path]) => isKept(path));
  const reduced = {
    paths: Object.fromEntries(kept.map(([path, methods]) => [path, mapValues(methods, operation)])),
    webhooks: mapValues(webhooks, ({ $ref }) => ({ post: operation(eventOf(components.pathItems, $ref)) })),
  };
  const schemas = reachable(components.schemas, JSON.stringify(reduced));
  return { openapi, info: { title, version }, ...reduced, components: { schemas } };
}

function eventOf(pathItems: Document['components']['pathItems'], ref: string): Operation {
  const item = pathItems[ref.split('/').at(-1) ?? ''];
  if (item === undefined) throw new Error(`${ref} is not in the document`);
  return item.post;
}

/** The schemas that a text refers to, and those that they refer to. */
export function reachable(schemas: Record<string, Json>, text: string, found: Record<string, Json> = {}): Record<string, Json> {
  for (const [, name = ''] of text.matchAll(/#\/components\/schemas\/(\w+)/g)) {
    const schema = schemas[name];
    if (schema === undefined || name in found) continue;
    found[name] = schema;
    reachable(schemas, JSON.stringify(schema), found);
  }
  return found;
}

const mapValues = <V, W>(object: Record<string, V>, change: (value: V) => W): Record<string, W> =>
  Object.fromEntries(Object.entries(object).map(([key, value]) => [key, change(value)]));

function operation({ parameters = [], requestBody, responses }: Operation): Json {
  const successes = Object.entries(responses).filter(([status]) => status.startsWith('2'));
  return {
    parameters: parameters.filter((parameter) => parameter.in === 'path' || parameter.in === 'query'),
    ...(requestBody === undefined
      ? {}
      : { requestBody: { ...requestBody, content: json(requestBody.content['application/json'].schema) } }),
    responses: Object.fromEntries(
      successes.map(([status, { description, content }]) => {
        const schema = content?.['application/json']?.schema;
        return [status, { description, ...(schema === undefined ? {} : { content: json(schema) }) }];
      }),
    ),
  };
}

const json = (schema: Json): Json => ({ 'application/json': { schema } });
