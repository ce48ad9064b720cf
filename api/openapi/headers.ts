/** The request and response headers of the document. */
import type { Json } from '../http/schemas/json-schema.js';
import type { Endpoint } from '../http/endpoint.js';

const number = (description: string, example: number) => ({ description, schema: { type: 'integer' }, example });
const text = (description: string, example: string) => ({ description, schema: { type: 'string' }, example });

/** `components.headers` */
export const headerComponents: Json = {
  'X-RateLimit-Limit': number('Requests allowed in the current window', 100),
  'X-RateLimit-Remaining': number('Requests left in the current window', 99),
  'X-RateLimit-Reset': number('End of the current window, in seconds since 1970', 1_795_262_460),
  'X-Request-Id': text('Id of the request, sent by the client or generated. Include it in support requests', 'req-7f3a'),
  'Retry-After': number('Seconds to wait before a retry', 7),
  'WWW-Authenticate': text(
    'The credentials that the operation takes: `Bearer` for a JWT, `ApiKey` for the header X-API-Key',
    'Bearer, ApiKey',
  ),
  Link: text(
    'First, previous, next and last page with the same filters (RFC 8288)',
    '<https://api.example.com/api/v1/messages?page=2&limit=50>; rel="next"',
  ),
  'Ignored-Fields': text(
    'Ignored fields of the body and parameters of the query: unknown ones, and those of the content that no channel of the message has. Absent if none',
    'colour',
  ),
  'Idempotent-Replayed': {
    description: 'This repeats the response to an earlier request with the same key; nothing was done again',
    schema: { type: 'string', const: 'true' },
  },
};

const reference = (name: string) => ({ [name]: { $ref: `#/components/headers/${name}` } });
const always = Object.assign(
  {},
  ...['X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-RateLimit-Reset', 'X-Request-Id'].map(reference),
) as Json;

/** The headers of a successful response. */
export const successHeaders = ({ auth, idempotent, query }: Pick<Endpoint, 'auth' | 'idempotent' | 'query'>): Json => ({
  ...always,
  ...(auth === 'provider' ? {} : reference('Ignored-Fields')),
  ...(idempotent === true ? reference('Idempotent-Replayed') : {}),
  ...(query !== undefined && 'page' in (query.describe().keys as object) ? reference('Link') : {}),
});

/** The headers of an error response. */
export const errorHeaders = (status: number): Json => ({
  ...always,
  ...(status === 401 ? reference('WWW-Authenticate') : {}),
  ...(status === 429 || status >= 500 ? reference('Retry-After') : {}),
});

/** The headers of a request. */
export function requestHeaders({ idempotent, streams }: Pick<Endpoint, 'idempotent' | 'streams'>): Json[] {
  const requestId = {
    name: 'X-Request-Id',
    in: 'header',
    description: 'Your own request id: 1 to 64 letters, digits, dots, dashes and underscores. Any other value is replaced',
    schema: { type: 'string' },
  };
  const key = {
    name: 'Idempotency-Key',
    in: 'header',
    description: 'Makes retries safe: a repeated request with the same key and body is done once, and gets the first response again',
    schema: { type: 'string', minLength: 1, maxLength: 255, pattern: '^[\\x21-\\x7e]+$' },
  };
  const lastEventId = {
    name: 'Last-Event-ID',
    in: 'header',
    description: 'The `id` of the last event that was received; the stream continues after it',
    schema: { type: 'string', maxLength: 8_000 },
  };
  return [...(idempotent === true ? [key] : []), ...(streams === 'text/event-stream' ? [lastEventId] : []), requestId];
}
