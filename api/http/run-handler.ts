/** Validates a request and runs its handler. It uses no Express request or response, so it can run in any thread. */
import { withHeaders } from './errors/error-status.js';
import { AppError, invalid } from '../../models/errors.js';
import { assertScope } from './caller.js';
import type { Endpoint, LogWorkspace } from './endpoint.js';
import type { HandlerRequest } from './handler-request.js';
import { faultsOfIdempotencyKey } from './idempotency.js';
import { parseBody, unusedFieldsIn } from './parse-body.js';
import { Reply } from './reply.js';
import { ignoredFieldsHeader } from './ignored-fields.js';
import { type Checked, check, checkQuery } from './schemas/validation.js';

/** The part of an endpoint's declaration that `runHandler` needs. */
export type Handled<Services> = Pick<Endpoint<Services>, 'auth' | 'query' | 'body' | 'extraScope' | 'examine' | 'handler'>;

/**
 * @param logWorkspace for the log; without it, the caller of the request is logged already
 * @throws AppError 400 with every fault, 403 for a missing scope, or the error of the handler
 */
export async function runHandler<Services>(
  item: Handled<Services>,
  request: HandlerRequest,
  deps: Services,
  logWorkspace: LogWorkspace = () => undefined,
): Promise<Reply> {
  const { caller, origin, params, idempotencyKey, url, headers, body: bytes, newId, traceparent } = request;
  const nothing: Checked<object> = { value: {}, faults: [] };
  const query = item.query === undefined ? { ...nothing, ignored: Object.keys(request.query) } : checkQuery(item.query, request.query);
  const { body: parsed, dropped } = item.body === undefined ? { body: {}, dropped: [] } : parseBody(bytes);
  assertScope(caller, item.extraScope?.(parsed as Record<string, unknown>) ?? null);
  const checked = item.body === undefined ? nothing : check(item.body, parsed);
  const body = item.examine === undefined ? checked : await item.examine(checked, deps);
  const faults = [...query.faults, ...body.faults, ...faultsOfIdempotencyKey(idempotencyKey)];
  const inBody = () => (item.body === undefined ? unusedFieldsIn(bytes) : [...dropped, ...(body.ignored ?? [])]);
  // Providers may add fields to their callbacks, so these are not reported.
  const ignoredHeader = item.auth === 'provider' ? {} : ignoredFieldsHeader([...(query.ignored ?? []), ...inBody()]);
  if (faults.length > 0) throw withHeaders(invalid(faults), ignoredHeader);
  const lastEventId = headers['last-event-id'];
  const input = {
    caller,
    origin,
    params,
    query: query.value,
    body: body.value,
    refusal: body.refusal ?? null,
    idempotencyKey,
    lastEventId: typeof lastEventId === 'string' ? lastEventId : null,
    signed: { url, headers, body: bytes },
    newId,
    traceparent,
    logWorkspace,
  };
  const result = await item.handler(input, deps).catch((error: unknown) => {
    throw error instanceof AppError ? withHeaders(error, ignoredHeader) : error;
  });
  const reply = result instanceof Reply ? result : new Reply({ data: result });
  return new Reply(reply.body, { ...reply.options, headers: { ...reply.options.headers, ...ignoredHeader } });
}
