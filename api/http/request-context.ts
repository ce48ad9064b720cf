/** The context of a request: its id, its caller, and its log line. */
import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { performance } from 'node:perf_hooks';
import { makeId } from '../../models/rules/values/make-id.js';
import { abortedStatus, observeRequest, unknownRoute } from '../../models/metrics/observe.js';
import type { Logger } from '../../models/process/logger.js';
import { isTracing } from '../../models/tracing/tracing.js';
import { readTraceparent } from '../../models/tracing/trace-context.js';
import type { ClientAddress } from './client-address.js';

/** What a send takes from its request, so that both have one trace. */
export interface SendTrace {
  /** The id of the message or batch that the request creates. The ids of its trace follow from it. */
  newId: string;
  /** The client's `traceparent`, in version 00; null without a valid one, or while tracing is off. */
  traceparent: string | null;
}

export interface RequestContext extends SendTrace {
  requestId: string;
  /** The path template of the endpoint. The log must not contain ids, tokens or queries. */
  route: string;
  workspaceId: string | undefined;
  /** See `createClientAddress`. Undefined if the connection was already closed. */
  address: string | undefined;
  /** The header `WWW-Authenticate` of a 401. */
  challenge: string;
  /** The id of the API key. */
  keyId: string | undefined;
  /** The response is an open stream. */
  isStream: boolean;
}

/** What the log line of a request says about its credential. */
export interface LoggedCaller {
  workspaceId: string;
  /** Undefined with a JWT. */
  keyId?: string | undefined;
}

/** A 503 of these paths means that a part of the service is broken. A 503 of other paths refuses work. */
const health: ReadonlySet<string> = new Set(['/health', '/ready']);

const safeId = /^[A-Za-z0-9._-]{1,64}$/;

/** The id that the client gave, or a new one. */
export function requestIdOf({ headers }: IncomingMessage): string {
  const given = headers['x-request-id'];
  return typeof given === 'string' && safeId.test(given) ? given : randomUUID();
}

/** Middleware that uses only Node's request and response, so that it also runs in front of Express. */
export type Middleware = (req: IncomingMessage, res: ServerResponse, next: () => void) => void;

/** @returns undefined if the request is not recorded */
type TraceRequest = (method: string | undefined, context: RequestContext, status: number, durationMs: number) => string | undefined;

/** Express keeps `locals` that were set before. */
type WithLocals = ServerResponse & { locals?: object };

/** The context of the request to which this response belongs. */
export const contextOf = (res: ServerResponse): RequestContext => (res as WithLocals).locals as RequestContext;

/** Adds the workspace and the API key to the log line of the request, also when it is refused afterwards. */
export function logCaller(res: ServerResponse, { workspaceId, keyId }: LoggedCaller): void {
  const context = contextOf(res);
  context.workspaceId = workspaceId;
  context.keyId = keyId;
}

/**
 * The first middleware: takes the request id from the header or creates one, returns it in the response, and logs the request at its end.
 * @param addressOf the client address of a request
 * @param trace records the span of a request that is over, and returns the id of its trace
 */
export function requestContext(logger: Logger, { addressOf, trace }: { addressOf: ClientAddress; trace: TraceRequest }): Middleware {
  return (req, res, next) => {
    const startedAt = performance.now();
    const requestId = requestIdOf(req);
    const context: RequestContext = {
      requestId,
      route: unknownRoute,
      workspaceId: undefined,
      address: addressOf(req),
      challenge: 'Bearer', // an operation without a credential: a login gives a JWT
      keyId: undefined,
      isStream: false,
      newId: makeId(),
      traceparent: isTracing() ? readTraceparent(req.headers.traceparent) : null,
    };
    (res as WithLocals).locals = context;
    res.setHeader('X-Request-Id', requestId);
    res.once('close', () => {
      const durationMs = performance.now() - startedAt;
      const status = res.headersSent ? res.statusCode : abortedStatus; // otherwise it is Node's default, 200
      const line = {
        method: req.method,
        route: context.route,
        status,
        duration_ms: Math.round(durationMs),
        request_id: requestId,
        workspace_id: context.workspaceId,
        key_id: context.keyId,
        address: context.address,
        trace_id: trace(req.method, context, status, durationMs),
      };
      countRequest(req.method, context, status, durationMs);
      logger.info(line, res.writableFinished || context.isStream ? 'request' : 'request aborted');
    });
    next();
  };
}

function countRequest(method: string | undefined, { route, isStream }: RequestContext, status: number, durationMs: number): void {
  const isShed = status === 503 && !health.has(route);
  observeRequest({ method, route, status, durationMs: isStream ? null : durationMs, isShed });
}
