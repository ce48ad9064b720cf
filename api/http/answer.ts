/** What becomes of a request once its caller is known: checked, then handled. Knows no `req` and no `res`, so any thread can do it. */
import { withHeaders } from './error-status.js';
import { AppError, invalid, missingScope } from '../../models/errors.js';
import type { Scope } from '../../models/rules/accounts/api-key.js';
import type { Asked } from './asked.js';
import { parseObject } from './body.js';
import type { Auth, Endpoint, Input } from './endpoint.js';
import { Reply } from './reply.js';
import type { Caller } from './caller.js';
import { faultsOfIdempotencyKey } from './idempotency.js';
import { ignoredFieldsHeader } from './unknown-fields.js';
import { type Checked, check, checkQuery } from './validation.js';

/** An operation, as far as its answer goes; `Deps` is what its handler reaches. */
export type Answerable<Deps> = Pick<Endpoint, 'auth' | 'query' | 'body' | 'alsoNeeds'> & {
  examine?(checked: Checked<object>, deps: Deps): Promise<Checked<object>>;
  handler(input: Input<Auth, string, object, object>, deps: Deps): Promise<object>;
};

/** @throws AppError 400 with every fault, or what the handler throws */
export async function answer<Deps>(item: Answerable<Deps>, asked: Asked, deps: Deps): Promise<Reply> {
  const { caller, origin, params, idempotencyKey, url, headers, body: bytes } = asked;
  const nothing: Checked<object> = { value: {}, faults: [] };
  const query = item.query === undefined ? { ...nothing, ignored: Object.keys(asked.query) } : checkQuery(item.query, asked.query);
  const given = item.body === undefined ? {} : parseObject(bytes);
  assertScope(caller, item.alsoNeeds?.(given as Record<string, unknown>) ?? null);
  const checked = item.body === undefined ? nothing : check(item.body, given);
  const body = item.examine === undefined ? checked : await item.examine(checked, deps);
  const faults = [...query.faults, ...body.faults, ...faultsOfIdempotencyKey(idempotencyKey)];
  // What providers add to their callbacks is no mistake of a caller.
  const told = item.auth === 'provider' ? {} : ignoredFieldsHeader([...(query.ignored ?? []), ...(body.ignored ?? [])]);
  if (faults.length > 0) throw withHeaders(invalid(faults), told);
  const signed = { url, headers, body: bytes };
  const input = { caller, origin, params, query: query.value, body: body.value, idempotencyKey, signed };
  const outcome = await item.handler(input, deps).catch((error: unknown) => {
    throw error instanceof AppError ? withHeaders(error, told) : error;
  });
  const { data, options } = outcome instanceof Reply ? outcome : new Reply(outcome);
  return new Reply(data, { ...options, headers: { ...options.headers, ...told } });
}

function assertScope(caller: Caller | null, needed: Scope | null): void {
  if (needed !== null && caller?.scopes?.includes(needed) === false) throw missingScope(needed);
}
