/** Headers of the document: those that requests may carry, and those of answers. */
import type { Json } from '../http/json-schema.js';
import type { Endpoint } from '../http/endpoint.js';

const number = (description: string, example: number) => ({ description, schema: { type: 'integer' }, example });
const text = (description: string, example: string) => ({ description, schema: { type: 'string' }, example });

/** `components.headers` */
export const headerComponents: Json = {
  'X-RateLimit-Limit': number('Requests that the current window allows', 100),
  'X-RateLimit-Remaining': number('Requests that are left in it', 99),
  'X-RateLimit-Reset': number('When it ends, in seconds since 1970', 1_795_262_460),
  'X-Request-Id': text('Id of the request: the one that was sent, or a new one. Name it when you ask for help', 'req-7f3a'),
  'Retry-After': number('Seconds after which it is worth trying again', 7),
  Link: text(
    'The first, prev, next and last page with the same filters (RFC 8288)',
    '<https://api.example.com/api/v1/messages?page=2&limit=50>; rel="next"',
  ),
  'Ignored-Fields': text(
    'Fields of the body and parameters of the query that are unknown and were ignored; absent when there are none',
    'colour',
  ),
  'Idempotent-Replayed': {
    description: 'The request was made before: this is the first answer, and nothing was done again',
    schema: { type: 'string', const: 'true' },
  },
};

const reference = (name: string) => ({ [name]: { $ref: `#/components/headers/${name}` } });
const always = Object.assign(
  {},
  ...['X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-RateLimit-Reset', 'X-Request-Id'].map(reference),
) as Json;

/** Headers of a success. */
export const successHeaders = ({ auth, idempotent, query }: Pick<Endpoint, 'auth' | 'idempotent' | 'query'>): Json => ({
  ...always,
  ...(auth === 'provider' ? {} : reference('Ignored-Fields')),
  ...(idempotent === true ? reference('Idempotent-Replayed') : {}),
  ...(query !== undefined && 'page' in (query.describe().keys as object) ? reference('Link') : {}),
});

/** Headers of a refusal. */
export const errorHeaders = (status: number): Json => ({ ...always, ...(status === 429 || status >= 500 ? reference('Retry-After') : {}) });

/** Headers that requests may carry. */
export function requestHeaders({ idempotent }: Pick<Endpoint, 'idempotent'>): Json[] {
  const requestId = {
    name: 'X-Request-Id',
    in: 'header',
    description: 'Your own id of the request, 1 to 64 letters, digits, dots, dashes and underscores; others are replaced',
    schema: { type: 'string' },
  };
  const key = {
    name: 'Idempotency-Key',
    in: 'header',
    description: 'Makes it safe to repeat the request: the same key with the same body is answered as the first time and done once',
    schema: { type: 'string', minLength: 1, maxLength: 255, pattern: '^[\\x21-\\x7e]+$' },
  };
  return idempotent === true ? [key, requestId] : [requestId];
}
