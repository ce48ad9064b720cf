/** The OpenAPI 3.1 document, derived from the declarations. Joi writes JSON Schema itself; `meta` adds what it cannot say. */
import { STATUS_CODES } from 'node:http';
import Joi from 'joi';
import { type Auth, endpoint, type Endpoint } from './endpoint.js';
import { type Json, jsonSchema } from './json-schema.js';

/** `GET /openapi.json`, about these endpoints. */
export function openapiEndpoint(endpoints: readonly Endpoint[]): Endpoint {
  const document = openapi(endpoints);
  const response = Joi.object({ openapi: Joi.string().required() }).unknown();
  const handler = async () => document;
  return endpoint({
    id: 'openapi.get',
    method: 'get',
    path: '/openapi.json',
    summary: 'This document',
    auth: 'none',
    response,
    envelope: false,
    handler,
  });
}

/** The document as a plain object. */
export function openapi(endpoints: readonly Endpoint[]): Json {
  const paths: Record<string, Json> = {};
  for (const item of endpoints) {
    const path = item.path.replaceAll(/:(\w+)/g, '{$1}');
    paths[path] = { ...paths[path], [item.method]: operation(item) };
  }
  return {
    openapi: '3.1.0',
    info: { title: 'Tidings', version: '1.0.0', description: 'Durable messaging over HTTP: one API for SMS, WhatsApp and e-mail.' },
    servers: [{ url: '/' }],
    paths,
    components: {
      securitySchemes: {
        jwt: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' },
        apiKey: { type: 'apiKey', in: 'header', name: 'X-API-Key' },
      },
      schemas: { Error: errorSchema },
    },
  };
}

function operation(item: Endpoint): Json {
  const status = item.status ?? 200;
  const data = jsonSchema(item.response);
  const success =
    item.envelope === false ? data : { type: 'object', properties: { success: { const: true }, data }, required: ['success', 'data'] };
  const errors = errorsOf(item).map((code) => [
    code,
    { description: STATUS_CODES[code], ...content({ $ref: '#/components/schemas/Error' }) },
  ]);
  const body = item.body && { requestBody: { required: true, ...content(jsonSchema(item.body, { isOpen: true })) } };
  return {
    operationId: item.id,
    summary: item.summary,
    tags: [item.id.split('.')[0]],
    security: security(item.auth),
    parameters: parametersOf(item),
    ...body,
    responses: { [status]: { description: 'Success', ...content(success) }, ...Object.fromEntries(errors) },
  };
}

/** What an endpoint can refuse follows from what it declares. */
function errorsOf({ auth, query, body, path, idempotent, refusals = [] }: Endpoint): number[] {
  const takesKey = typeof auth === 'object';
  const statuses = [
    ...refusals,
    ...(query || body ? [400] : []),
    ...(takesKey || auth === 'jwt' ? [401] : []),
    ...(idempotent === true ? [402, 422] : []),
    ...(takesKey || (auth === 'provider' && refusals.length === 0) ? [403] : []),
    ...(path.includes(':') ? [404] : []),
    ...(path.endsWith('/cancel') ? [409] : []),
    ...(body ? [413] : []),
    429,
    500,
  ];
  return [...new Set(statuses)].toSorted((one, other) => one - other);
}

function security(auth: Auth): Json[] {
  if (auth === 'jwt') return [{ jwt: [] }];
  if (typeof auth === 'string') return [];
  return auth.jwtToo ? [{ jwt: [] }, { apiKey: [] }] : [{ apiKey: [] }];
}

function parametersOf({ path, query, idempotent }: Endpoint): Json[] {
  const inPath = [...path.matchAll(/:(\w+)/g)].map(([, name]) => ({ name, in: 'path', required: true, schema: { type: 'string' } }));
  const properties = query === undefined ? {} : (jsonSchema(query).properties as Json);
  const inQuery = Object.entries(properties).map(([name, schema]) => ({ name, in: 'query', schema }));
  const key = { name: 'Idempotency-Key', in: 'header', schema: { type: 'string', minLength: 1, maxLength: 255 } };
  return [...inPath, ...inQuery, ...(idempotent === true ? [key] : [])];
}

const content = (schema: Json) => ({ content: { 'application/json': { schema } } });

const text = { type: 'string' };
const errorSchema = {
  type: 'object',
  properties: {
    success: { const: false },
    error: text,
    code: text,
    message: text,
    request_id: text,
    details: { type: 'array', items: { type: 'object', properties: { field: text, message: text }, required: ['field', 'message'] } },
  },
  required: ['success', 'error', 'code', 'message', 'request_id'],
};
