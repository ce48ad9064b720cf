/** The error responses of an operation: the statuses that follow from its declaration, and the exact texts of each. */
import { STATUS_CODES } from 'node:http';
import * as errors from '../../models/errors.js';
import { missingApiKey, invalidApiKey, deactivatedApiKey, invalidToken, expiredToken } from '../../models/refused-credentials.js';
import type { Endpoint } from '../http/endpoint.js';
import { errorBody } from '../http/errors/error-body.js';
import { statusOf } from '../http/errors/error-status.js';
import { type Components, type Json, jsonSchema } from '../http/schemas/json-schema.js';
import { fault } from '../http/schemas/schemas.js';
import { oneOfWords } from '../http/schemas/words.js';
import { errorHeaders } from './headers.js';
import { resourcesOf } from './resources.js';
import { samples } from './samples/index.js';

/** The error statuses of an endpoint: those that follow from its declaration, and those of its samples. */
export function statusesOf({ id, auth, method, query, body, path, idempotent }: Endpoint): number[] {
  const takesKey = typeof auth === 'object';
  const statuses = [
    ...(samples[id]?.refusals ?? []).map(statusOf),
    ...(query || body ? [400] : []),
    ...(takesKey || auth === 'jwt' ? [401, 403] : []),
    ...(idempotent === true ? [402, 422] : []),
    ...(path.includes(':') ? [404] : []),
    ...(body || (auth === 'provider' && method === 'post') ? [413] : []),
    429,
    500,
    // No memory for the body, no turn for the read, or too many look-ups of keys wait.
    ...(body || takesKey || auth === 'provider' || (method === 'get' && auth !== 'none') ? [503] : []),
  ];
  return [...new Set(statuses)].toSorted((one, other) => one - other);
}

const text = { type: 'string' };

/** The schema of every error response. */
export const errorSchema = (components: Components): Json => ({
  type: 'object',
  properties: {
    success: { type: 'boolean', description: 'Always false' },
    error: { ...text, description: 'Text for people' },
    code: { ...text, description: `Code for programs. ${oneOfWords(errors.errorCodes)}` },
    message: { ...text, description: 'The same text as `error`' },
    request_id: text,
    details: {
      description: 'With status 400: every validation error of the request. With 401 and 404: how to correct the request, if known',
      type: 'array',
      items: jsonSchema(fault(), { components }),
    },
    hints: { description: 'How to correct the request, if the error text does not say it', type: 'array', items: text },
  },
  required: ['success', 'error', 'code', 'message', 'request_id'],
});

/** The error responses for the document, by status. */
export function errorResponses(item: Endpoint): Json {
  const statuses = statusesOf(item).filter((status) => status !== item.otherStatus);
  return Object.fromEntries(statuses.map((status) => [status, errorResponse(item, status)]));
}

function errorResponse(item: Endpoint, status: number): Json {
  const refusals = refusalsOf(item, status);
  const examples = Object.fromEntries(
    refusals.map((error, index) => [nameOf(error, index), { summary: error.message, value: errorBody(error, requestId) }]),
  );
  const texts = [...new Set(refusals.map(({ message }) => `\`${message}\``))].join(' · ');
  return {
    description: `${STATUS_CODES[status]}: ${texts}`,
    headers: errorHeaders(status),
    content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' }, examples } },
  };
}

const nameOf = ({ code }: errors.AppError, index: number) => (index === 0 ? code : `${code}_${index + 1}`);

/** The id of the request in the examples. */
const requestId = '0198c5b1-6f1c-7c58-9d0a-3f2f8a4b5c6d';

/** The errors that this operation can return with this status; at least one. */
function refusalsOf(item: Endpoint, status: number): errors.AppError[] {
  const own = samples[item.id]?.refusals?.filter((error) => statusOf(error) === status) ?? [];
  if (own.length > 0) return [...own, ...(status === 400 ? formal(item) : []), ...(status === 503 ? [errors.busy()] : [])];
  switch (status) {
    case 400:
      return formal(item);
    case 401:
      return unauthorized(item);
    case 402:
      return [errors.insufficientCredits(2500, 100), ...(item.sends === true ? [errors.spendLimitReached()] : [])];
    case 403:
      return forbidden(item);
    case 404:
      return resourcesOf(item).map((name) => errors.notFound(name));
    case 413:
      return [errors.bodyTooLarge()];
    case 422:
      return [errors.idempotencyMismatch()];
    case 429:
      return [errors.rateLimited(7)];
    case 503:
      return [errors.busy()];
    default:
      return [errors.internal()];
  }
}

/** A session of the console can be used on every operation with a credential, and only from its own origin. */
function forbidden({ auth, sends }: Endpoint): errors.AppError[] {
  if (auth === 'none' || auth === 'provider') return [errors.invalidCallbackSignature()];
  const scope = typeof auth === 'object' && auth.scope !== null ? [errors.missingScope(auth.scope)] : [];
  return [...scope, ...(sends === true ? [errors.suspended(), errors.unverified()] : []), errors.foreignOrigin()];
}

function unauthorized({ auth }: Endpoint): errors.AppError[] {
  const token = [invalidToken(), expiredToken()];
  const key = [invalidApiKey(), deactivatedApiKey()];
  if (typeof auth === 'string') return token;
  return auth.jwtToo ? [...token, ...key] : [missingApiKey(), ...key];
}

/** Faults that follow from the schemas: a missing field, an invalid page or date, a body that is not JSON. */
function formal({ query, body, idempotent }: Endpoint): errors.AppError[] {
  const required = body === undefined ? [] : ((jsonSchema(body).required ?? []) as string[]);
  const parameters = Object.keys((query?.describe().keys ?? {}) as object);
  const faults = [
    ...required.slice(0, 1).map((field) => errors.missingField(field === 'content' ? 'content.text' : field)),
    ...(parameters.includes('limit')
      ? [errors.invalidField('page', errors.faultTexts.page), errors.invalidField('limit', errors.faultTexts.limit), errors.invalidCursor()]
      : []),
    ...(parameters.includes('start_date') ? [errors.invalidField('start_date', errors.faultTexts.date)] : []),
    ...(idempotent === true ? [errors.invalidField('Idempotency-Key', errors.faultTexts.idempotencyKey)] : []),
  ];
  return body !== undefined || faults.length === 0 ? [...faults, errors.invalidJson()] : faults;
}
