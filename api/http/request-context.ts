/** What is known of a request while it is served, its id, and its one line in the log. */
import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { performance } from 'node:perf_hooks';
import { plainAddress } from './plain-address.js';
import { noteRequest } from '../../models/metrics/observe.js';
import type { Logger } from '../../models/process/logger.js';

export interface RequestContext {
  requestId: string;
  /** Path template of the endpoint, so that the log names no ids, tokens or queries. */
  route: string;
  workspaceId: string | undefined;
  /** Of the client, behind proxies that are trusted. */
  address: string | undefined;
  /** Id of the API key. */
  keyId: string | undefined;
}

const safeId = /^[A-Za-z0-9._-]{1,64}$/;

/** A step that all requests go through; what it uses is Node's, so that it holds before Express, too. */
export type Step = (req: IncomingMessage, res: ServerResponse, next: () => void) => void;

/** Express keeps the `locals` that are there when it begins. */
type WithLocals = ServerResponse & { locals?: object };

/** The context of the request that this response answers. */
export const contextOf = (res: ServerResponse): RequestContext => (res as WithLocals).locals as RequestContext;

/**
 * First step: takes over or makes the request id, returns it always, and logs the request when it is over.
 * @param behindProxy the address of the socket is not the client's: the application finds that
 */
export function requestContext(logger: Logger, { behindProxy }: { behindProxy: boolean }): Step {
  return (req, res, next) => {
    const startedAt = performance.now();
    const given = req.headers['x-request-id'];
    const requestId = typeof given === 'string' && safeId.test(given) ? given : randomUUID();
    const context: RequestContext = { requestId, route: '(unknown)', workspaceId: undefined, address: undefined, keyId: undefined };
    if (!behindProxy) context.address = plainAddress(req.socket.remoteAddress);
    (res as WithLocals).locals = context;
    res.setHeader('X-Request-Id', requestId);
    res.once('close', () => {
      const line = {
        method: req.method,
        route: context.route,
        status: res.statusCode,
        duration_ms: Math.round(performance.now() - startedAt),
        request_id: requestId,
        workspace_id: context.workspaceId,
        key_id: context.keyId,
        address: context.address,
      };
      noteRequest(req.method, context.route, res.statusCode, performance.now() - startedAt);
      logger.info(line, res.writableFinished ? 'request' : 'request aborted');
    });
    next();
  };
}
