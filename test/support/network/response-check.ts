/** Checks every response of every test against the declaration: status, response schema, shape of errors, and headers. */
import assert from 'node:assert/strict';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import type { ErrorCode } from '../../../models/errors.js';
import type { Endpoint } from '../../../api/http/endpoint.js';
import { endpoints } from '../../../api/endpoints/index.js';
import { jsonSchema } from '../../../api/http/schemas/json-schema.js';
import { statusesOf } from '../../../api/openapi/errors.js';

const ajv = new Ajv2020({ strict: false, allErrors: true });
formats.default(ajv);
const validators = new Map<Endpoint, ValidateFunction>(endpoints.map((item) => [item, ajv.compile(jsonSchema(item.response))]));
/** The compiler names a code that is missing. */
const codes: Readonly<Record<ErrorCode, true>> = {
  validation_failed: true,
  unauthorized: true,
  token_expired: true,
  forbidden: true,
  insufficient_credits: true,
  purchase_failed: true,
  not_found: true,
  spend_limit: true,
  email_exists: true,
  idempotency_mismatch: true,
  payload_too_large: true,
  conflict: true,
  limit_reached: true,
  rate_limited: true,
  code_required: true,
  internal_error: true,
  unavailable: true,
};

const patterns = endpoints.map((item) => ({ item, path: new RegExp(`^${item.path.replaceAll(/:\w+/g, '[^/]+')}$`) }));

/** The declaration of a request. */
function declarationOf(method: string, path: string): Endpoint | undefined {
  const [plain = ''] = path.split('?');
  return patterns.find(({ item, path: pattern }) => item.method === method.toLowerCase() && pattern.test(plain))?.item;
}

/** All statuses of this operation in the document. */
export const documentedStatuses = (item: Endpoint): Set<number> =>
  new Set([
    item.status ?? 200,
    ...(item.mayBeEmpty === true ? [204] : []),
    ...(item.otherStatus === undefined ? [] : [item.otherStatus]),
    ...statusesOf(item),
  ]);

/** Asserts that the status is documented. HEAD counts as GET. Undeclared paths must be 404, except the document itself. */
function assertDocumented(item: Endpoint | undefined, method: string, path: string, status: number): void {
  const statuses = item === undefined ? new Set([path === '/openapi.json' ? 200 : 404]) : documentedStatuses(item);
  assert.ok(statuses.has(status), `${method} ${path} answered ${status}, which is not documented: ${[...statuses].join(', ')}`);
}

/** The body of a response: a value, or the list of lines of a stream. */
// oxlint-disable-next-line typescript/no-explicit-any -- arbitrary responses
export function bodyOf(headers: Headers, text: string): any {
  if (text === '') return undefined;
  if (headers.get('content-type')?.startsWith('application/x-ndjson') !== true) return JSON.parse(text);
  return text.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line)]));
}

/** Fails the test if a response does not match its declaration. */
// oxlint-disable-next-line typescript/no-explicit-any -- arbitrary responses
export function assertAsDeclared(method: string, path: string, status: number, headers: Headers, body: any): void {
  for (const name of ['x-ratelimit-limit', 'x-ratelimit-remaining', 'x-ratelimit-reset']) {
    assert.match(headers.get(name) ?? '', /^\d+$/, `${method} ${path} has ${name}`);
  }
  assert.match(headers.get('x-request-id') ?? '', /^[A-Za-z0-9._-]{1,64}$/);
  assert.equal(headers.get('cache-control'), 'no-store');
  assert.equal(headers.has('www-authenticate'), status === 401);
  if (status === 204) return; // a response to OPTIONS
  const item = declarationOf(method === 'HEAD' ? 'GET' : method, path);
  const type = status < 300 ? (item?.streams ?? 'application/json') : 'application/json';
  assert.equal(headers.get('content-type'), `${type}; charset=utf-8`);
  assert.equal(headers.get('x-powered-by'), null);
  assertDocumented(item, method, path, status);
  if (method === 'HEAD') return;
  if (status < 300) assertSuccess(item, body, `${method} ${path}`);
  else if (item?.envelope !== false) assertError(status, body, headers);
}

function assertSuccess(item: Endpoint | undefined, body: { success?: unknown; data?: unknown }, what: string): void {
  if (item === undefined) return;
  if (item.envelope !== false) assert.equal(body.success, true);
  const validate = validators.get(item);
  if (item.streams === 'text/event-stream') return; // it has no end: its own tests read it
  const values = item.streams !== undefined ? (body as unknown as unknown[]) : [item.envelope === false ? body : body.data];
  for (const value of values) assert.ok(validate?.(value), `${what}: ${JSON.stringify(validate?.errors)}`);
}

function assertError(status: number, body: Record<string, unknown> | undefined, headers: Headers): void {
  if (body === undefined) return; // a response to HEAD
  assert.equal(body.success, false);
  assert.equal(body.message, body.error);
  assert.ok(Object.hasOwn(codes, body.code as string), `code ${String(body.code)}`);
  assert.equal(body.request_id, headers.get('x-request-id'));
  const { details, hints, ...others } = body as { details?: { field: string; message: string }[]; hints?: unknown[] };
  assert.deepEqual(Object.keys(others), ['success', 'error', 'code', 'message', 'request_id']);
  if (status === 400) assert.equal(details?.[0]?.message, body.error);
  else if (status !== 401 && status !== 404) assert.equal(details, undefined);
  for (const detail of details ?? []) assert.deepEqual(Object.keys(detail), ['field', 'message']);
  if (hints !== undefined) assert.ok(hints.length > 0 && hints.every((hint) => typeof hint === 'string'));
  assert.doesNotMatch(JSON.stringify(body), /SELECT|INSERT|sequelize|\bat \/|node_modules|joi/i);
}
