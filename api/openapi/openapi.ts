/** The OpenAPI 3.1 document, derived from the endpoint declarations. */
import Joi from 'joi';
import { type Auth, endpoint, type Endpoint } from '../http/endpoint.js';
import { type Json, jsonSchema } from '../http/json-schema.js';
import { errorResponses } from './errors.js';
import { headerComponents, requestHeaders, successHeaders } from './headers.js';
import { linksOfSuccess } from './links.js';
import { description, tags } from './prose.js';
import { pathSample, samples } from './samples/index.js';
import { webhooksSection } from './webhooks.js';

/** The endpoint `GET /openapi.json`, which describes these endpoints. */
export function openapiEndpoint(endpoints: readonly Endpoint[]): Endpoint {
  const document = openapi(endpoints);
  const response = Joi.object({ openapi: Joi.string().required() }).unknown();
  const handler = async () => document;
  return endpoint({
    id: 'openapi.get',
    method: 'get',
    path: '/openapi.json',
    summary: 'Get this document',
    auth: 'none',
    response,
    envelope: false,
    handler,
  });
}

/** Creates the document. */
export function openapi(endpoints: readonly Endpoint[]): Json {
  const paths: Record<string, Json> = {};
  for (const item of endpoints) {
    const path = item.path.replaceAll(/:(\w+)/g, '{$1}');
    paths[path] = { ...paths[path], [item.method]: operation(item, endpoints) };
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Tidings',
      version: '1.0.0',
      summary: 'Durable messaging over HTTP: one API for SMS, WhatsApp and e-mail.',
      description,
      license: { name: 'Proprietary', identifier: 'LicenseRef-Proprietary' },
    },
    servers: [{ url: '/', description: 'The server of this document' }],
    tags,
    paths,
    webhooks: webhooksSection,
    components: {
      securitySchemes: {
        jwt: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT', description: 'From `POST /api/v1/auth/login`; valid for 30 days' },
        apiKey: { type: 'apiKey', in: 'header', name: 'X-API-Key', description: 'From `POST /api/v1/api-keys`' },
      },
      headers: headerComponents,
      schemas: { Error: errorSchema },
    },
  };
}

function operation(item: Endpoint, endpoints: readonly Endpoint[]): Json {
  const { about, requests } = samples[item.id] ?? {};
  const success = { ...successResponse(item), ...linksOfSuccess(item, endpoints) };
  const examples = Object.fromEntries(Object.entries(requests ?? {}).map(([name, value]) => [name, { value }]));
  const schema = item.body && jsonSchema(item.body, { isOpen: true });
  // A missing body counts as an empty object, so the body is required only if a field is required.
  const required = schema !== undefined && ('anyOf' in schema || 'required' in schema);
  const body = schema && { requestBody: { required, content: { 'application/json': { schema, examples } } } };
  return {
    operationId: item.id,
    summary: item.summary,
    description: [about, needs(item.auth)].filter((text) => text !== undefined).join('\n\n'),
    tags: [item.id.split('.')[0]],
    security: security(item.auth),
    parameters: parametersOf(item),
    ...body,
    responses: {
      [item.status ?? 200]: success,
      ...(item.alsoAs === undefined ? {} : { [item.alsoAs]: { ...success, description: 'Same shape; a component is not ok' } }),
      ...(item.mayBeEmpty === true ? { 204: { description: 'Accepted; the response has no body', headers: successHeaders(item) } } : {}),
      ...errorResponses(item),
    },
  };
}

function successResponse(item: Endpoint): Json {
  const inner = jsonSchema(item.response);
  const data = samples[item.id]?.data;
  const isPlain = item.envelope === false;
  const schema = isPlain ? inner : { type: 'object', properties: { success: { const: true }, data: inner }, required: ['success', 'data'] };
  const example = data === undefined ? {} : { example: isPlain ? data : { success: true, data } };
  return {
    description: 'Success',
    headers: successHeaders(item),
    content: { [item.streams ?? 'application/json']: { schema, ...example } },
  };
}

function needs(auth: Auth): string {
  if (auth === 'none') return 'Needs no credential.';
  if (auth === 'jwt') return 'Needs a JWT.';
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

function parametersOf(item: Endpoint): Json[] {
  const inPath = [...item.path.matchAll(/:(\w+)/g)].map(([, name = '']) => ({
    name,
    in: 'path',
    required: true,
    schema: { type: 'string' },
    example: pathSample(item.path, name),
  }));
  const properties = item.query === undefined ? {} : (jsonSchema(item.query).properties as Json);
  const inQuery = Object.entries(properties).map(([name, schema]) => ({ name, in: 'query', schema }));
  return [...inPath, ...inQuery, ...requestHeaders(item)];
}

const text = { type: 'string' };
const errorSchema = {
  type: 'object',
  properties: {
    success: { const: false },
    error: { ...text, description: 'Text for people' },
    code: { ...text, description: 'Code for programs' },
    message: { ...text, description: 'The same text as `error`' },
    request_id: text,
    details: {
      description: 'With status 400 every fault of the request; with 401 and 404 a hint how to correct the request, if there is one',
      type: 'array',
      items: {
        type: 'object',
        properties: { field: text, message: text, hint: { ...text, description: 'How to correct the fault' } },
        required: ['field', 'message'],
      },
    },
  },
  required: ['success', 'error', 'code', 'message', 'request_id'],
};
