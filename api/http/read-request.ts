import type { Request } from 'express';
import type { MemoryReservation } from '../../models/flow/memory-budget.js';
import { anonymous, type Origin } from '../../models/rules/audit/origin.js';
import { isUuid } from '../../models/rules/values/text.js';
import type { Caller } from './caller.js';
import type { Endpoint } from './endpoint.js';
import type { HandlerRequest } from './handler-request.js';
import { isAbandoned, readBody } from './read-body.js';
import type { RequestContext } from './request-context.js';

interface Admitted {
  caller: Caller | null;
  /** Counts the bytes of the body. */
  memory: MemoryReservation;
}

/**
 * Reads the body, and returns the request as plain data.
 * @throws AppError what `item.checkHead` or `readBody` throw
 */
export async function readHandlerRequest<Services extends { config: { publicUrl: string } }>(
  item: Endpoint<Services>,
  req: Request,
  { caller, memory }: Admitted,
  deps: Services & { context: RequestContext },
): Promise<HandlerRequest> {
  const { query, headers, originalUrl } = req;
  const params = idsOf(req);
  const head = { params, headers };
  item.checkHead?.(head, deps);
  const maxBytes = typeof item.bodyBytesMax === 'function' ? item.bodyBytesMax(head, deps) : item.bodyBytesMax;
  const usesBody = item.body !== undefined || item.auth === 'provider';
  const body = usesBody ? await readBody(req, memory, maxBytes) : await readUnused(item, req, memory);
  const idempotencyKey = item.idempotent === true ? (req.get('idempotency-key') ?? null) : null;
  const origin = originOf(caller, req, deps.context);
  const { newId, traceparent } = deps.context;
  return { caller, origin, params, query, body, idempotencyKey, url: deps.config.publicUrl + originalUrl, headers, newId, traceparent };
}

/** A body that the operation does not use. It is read to name its fields, and is never a reason to refuse. That of a GET has no meaning. */
async function readUnused({ method }: Pick<Endpoint, 'method'>, req: Request, memory: MemoryReservation): Promise<Buffer> {
  if (method === 'get') {
    req.resume(); // its timeout begins now, also if the client does not read the answer
    return Buffer.alloc(0);
  }
  return readBody(req, memory).catch((error: unknown) => {
    if (isAbandoned(req)) throw error;
    return Buffer.alloc(0);
  });
}

/**
 * The parameters of the path, with ids in lower case as the database shows them: cursors, links and workflows contain ids, and one in another
 * letter case is the same resource.
 */
export const idsOf = ({ params }: Pick<Request, 'params'>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(params as Record<string, string>).map(([name, text]) => [name, isUuid(text) ? text.toLowerCase() : text]),
  );

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
