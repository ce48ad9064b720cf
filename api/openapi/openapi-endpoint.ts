/** `GET /openapi.json`. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import Joi from 'joi';
import { endpoint } from '../declare.js';
import { type Json, named } from '../http/schemas/json-schema.js';

/** The `servers` of the document. */
export const serversAt = (url: string) => [{ url, description: 'This installation' }];

let document: Json | undefined;

/** The document that the build derived (`write-document.ts`): deriving it takes a third of a second of CPU. */
const builtDocument = (): Json => (document ??= JSON.parse(readFileSync(join(import.meta.dirname, 'document.json'), 'utf8')) as Json);

/** Describes the endpoints, at the public address of the service. */
export const getOpenApiDocumentEndpoint = endpoint({
  id: 'getOpenApiDocument',
  tag: 'health',
  method: 'get',
  path: '/openapi.json',
  summary: 'Get this document',
  auth: 'none',
  response: named('OpenApiDocument', Joi.object({ openapi: Joi.string().required() }).unknown()),
  envelope: false,
  handler: async (_input, { config }) => ({ ...builtDocument(), servers: serversAt(config.publicUrl) }),
});
