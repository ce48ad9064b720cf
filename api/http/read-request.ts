import type { Request } from 'express';
import type { MemoryReservation } from '../../models/flow/memory-budget.js';
import { anonymous, type Origin } from '../../models/rules/audit/origin.js';
import type { Caller } from './caller.js';
import type { Endpoint } from './endpoint.js';
import type { HandlerRequest } from './handler-request.js';
import { readBody } from './read-body.js';
import type { RequestContext } from './request-context.js';

/**
 * Reads the body, and returns the request as plain data.
 * @param memory counts the bytes of the body
 * @throws AppError what `item.admit` or `readBody` throw
 */
export async function readHandlerRequest<Services extends { config: { publicUrl: string } }>(
  item: Endpoint<Services>,
  req: Request,
  caller: Caller | null,
  memory: MemoryReservation,
  deps: Services & { context: RequestContext },
): Promise<HandlerRequest> {
  const { params, query, headers, originalUrl } = req;
  // Path and headers are checked before the body is read, so that a request that must fail uses no memory.
  const maxBytes = item.admit?.({ params: params as Record<string, string>, headers }, deps) ?? item.bodyBytesMax;
  const hasBody = item.body !== undefined || item.auth === 'provider';
  const body = hasBody ? await readBody(req, memory, maxBytes) : Buffer.alloc(0);
  const idempotencyKey = item.idempotent === true ? (req.get('idempotency-key') ?? null) : null;
  const origin = originOf(caller, req, deps.context);
  const { newId, traceparent } = deps.context;
  return { caller, origin, params, query, body, idempotencyKey, url: deps.config.publicUrl + originalUrl, headers, newId, traceparent };
}

/** A longer User-Agent is cut in audit events. */
const userAgentLengthMax = 255;

/** Who made the request, for audit events. */
export const originOf = (caller: Caller | null, req: Request, { requestId, address }: RequestContext): Origin => ({
  actor: caller?.actor ?? anonymous,
  credential: caller?.credential,
  address: address ?? null,
  userAgent: req.headers['user-agent']?.slice(0, userAgentLengthMax) ?? null,
  requestId,
});
