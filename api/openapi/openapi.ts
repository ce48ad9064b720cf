/** The OpenAPI 3.1 document, derived from the endpoint declarations. */
import type Joi from 'joi';
import type { Auth, Endpoint } from '../http/endpoint.js';
import { type Components, type Json, jsonSchema, nameOf, named } from '../http/schemas/json-schema.js';
import { refer, withoutNull } from '../http/schemas/schema-components.js';
import { channelsInWords } from '../present/channel-texts.js';
import { errorResponses, errorSchema } from './errors.js';
import { headerComponents, requestHeaders, successHeaders } from './headers.js';
import { linksOfSuccess } from './links.js';
import { description, tags } from './prose.js';
import { serversAt } from './openapi-endpoint.js';
import { pathSample, resourcesOf } from './resources.js';
import { samples } from './samples/index.js';
import { eventPathItems, webhooksSection } from './webhooks.js';

/** Creates the document. @throws Error when a response has no name, or two schemas have the same one */
export function openapi(endpoints: readonly Endpoint[]): Json {
  const paths: Record<string, Json> = {};
  const components: Components = new Map();
  refer(components, 'Error', errorSchema(components));
  for (const item of endpoints) {
    const path = item.path.replaceAll(/:(\w+)/g, '{$1}');
    paths[path] = { ...paths[path], [item.method]: operation(item, endpoints, components) };
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Tidings',
      version: '1.0.0',
      summary: `Durable messaging over HTTP: one API for ${channelsInWords}.`,
      description,
      contact: { name: 'The operator of this installation' },
      license: { name: 'Proprietary', identifier: 'LicenseRef-Proprietary' },
    },
    servers: serversAt('http://127.0.0.1:3000'),
    tags,
    paths,
    webhooks: webhooksSection,
    components: {
      securitySchemes: {
        jwt: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT', description: 'From `POST /api/v1/auth/login`; valid for 30 days' },
        apiKey: { type: 'apiKey', in: 'header', name: 'X-API-Key', description: 'From `POST /api/v1/api-keys`' },
      },
      headers: headerComponents,
      pathItems: eventPathItems(components),
      schemas: Object.fromEntries([...components].toSorted(([one], [other]) => (one < other ? -1 : 1))),
    },
  };
}

function operation(item: Endpoint, endpoints: readonly Endpoint[], components: Components): Json {
  const { about, requests } = samples[item.id] ?? {};
  const success = { ...successResponse(item, components), ...linksOfSuccess(item, endpoints) };
  const examples = Object.fromEntries(Object.entries(requests ?? {}).map(([name, value]) => [name, { value }]));
  return {
    operationId: item.id,
    summary: item.summary,
    description: [about, needs(item)].filter((text) => text !== undefined).join('\n\n'),
    tags: [item.tag],
    security: security(item.auth),
    parameters: parametersOf(item, components),
    ...(item.body === undefined ? {} : { requestBody: requestBody(item.id, item.body, components, examples) }),
    responses: {
      [item.status ?? 200]: success,
      ...(item.otherStatus === undefined
        ? {}
        : { [item.otherStatus]: { ...success, description: 'Same shape, with a status other than "ok"' } }),
      ...(item.mayBeEmpty === true ? { 204: { description: 'Accepted; the response has no body', headers: successHeaders(item) } } : {}),
      ...errorResponses(item),
    },
  };
}

/** The schema of a body is named after the operation: `SendMessageRequest`. */
function requestBody(id: string, body: Joi.Schema, components: Components, examples: Json): Json {
  const name = `${id.charAt(0).toUpperCase()}${id.slice(1)}Request`;
  const schema = jsonSchema(named(name, body), { components });
  // A missing body counts as an empty object, so the body is required only if a field is required.
  const shape = components.get(name) ?? {};
  return {
    required: ['oneOf', 'required', 'minProperties'].some((keyword) => keyword in shape),
    content: { 'application/json': { schema, examples } },
  };
}

function successResponse(item: Endpoint, components: Components): Json {
  const name = nameOf(item.response);
  const inner = jsonSchema(item.response, { components });
  const data = samples[item.id]?.data;
  const isPlain = item.envelope === false;
  // No `const`: openapi-generator compares it as a text, and its Python client refuses every response.
  const success = { type: 'boolean', description: 'Always true' };
  const envelope = { type: 'object', properties: { success, data: inner }, required: ['success', 'data'] };
  const schema = isPlain ? inner : refer(components, `${name.replace(/Data$/, '')}Response`, envelope);
  const example = data === undefined ? {} : { example: isPlain ? data : { success: true, data } };
  return {
    description: 'Success',
    headers: successHeaders(item),
    content: { [item.streams ?? 'application/json']: { schema, ...example } },
  };
}

function needs({ auth, path }: Endpoint): string {
  if (auth === 'none') return 'Needs no credential.';
  if (auth === 'jwt') return 'Needs a JWT.';
  if (auth === 'provider' && path.includes(':token')) return 'Authenticated by the signed token in the URL.';
  if (auth === 'provider') return 'Authenticated by the signature of the provider over the raw body.';
  if (auth.scope === null) return 'Needs a JWT, or an API key with any scope.';
  return auth.jwtToo
    ? `Needs a JWT, or an API key with the scope \`${auth.scope}\`.`
    : `Needs an API key with the scope \`${auth.scope}\`.`;
}

function security(auth: Auth): Json[] {
  if (auth === 'jwt') return [{ jwt: [] }];
  if (typeof auth === 'string') return [];
  return auth.jwtToo ? [{ jwt: [] }, { apiKey: [] }] : [{ apiKey: [] }];
}

/** Ids have the same format as in bodies. A malformed one is answered like an unknown one. */
const isId = (name: string) => name === 'id' || name.endsWith('_id');

const otherParameters: Readonly<Record<string, string>> = {
  provider: 'The name of the provider account, or of its kind',
  token: 'The signed token of the link',
};

/** `The id of the delivery`. @throws Error for a parameter without a description */
function aboutParameter(item: Endpoint, name: string): string {
  const [first, second] = resourcesOf(item);
  const about = isId(name)
    ? `The id of the ${(name === 'id' ? first : second)?.replace(/^[A-Z](?=[a-z])/, (letter) => letter.toLowerCase())}`
    : otherParameters[name];
  if (about === undefined) throw new Error(`the parameter ${name} of ${item.path} has no description`);
  return about;
}

function parametersOf(item: Endpoint, components: Components): Json[] {
  const inPath = [...item.path.matchAll(/:(\w+)/g)].map(([, name = '']) => ({
    name,
    in: 'path',
    required: true,
    description: aboutParameter(item, name),
    schema: isId(name) ? { type: 'string', format: 'uuid' } : { type: 'string' },
    example: pathSample(item.path, name),
  }));
  // Not open: unlike a field of a body, a parameter of a query may have a default.
  const properties =
    item.query === undefined ? {} : (jsonSchema(item.query, { components, isOpen: false }).properties as Record<string, Json>);
  const inQuery = Object.entries(properties).map(([name, { description, ...schema }]) => ({
    name,
    in: 'query',
    description,
    schema: withoutNull(schema), // a query has no null
  }));
  return [...inPath, ...inQuery, ...requestHeaders(item)];
}
