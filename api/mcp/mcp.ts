/**
 * `/mcp`: the service as an MCP server (Model Context Protocol, streamable HTTP), for AI assistants. Stateless: each request has its own
 * server object, and any process can answer it. A tool call passes the same checks as a request to its endpoint, except the rate limit, which
 * counts the request to `/mcp`.
 */
import express, { type Request, type Router } from 'express';
import { forbiddenOrigin } from '../../models/errors.js';
import type { Access } from '../auth/admit.js';
import type { Deps } from '../deps.js';
import type { Caller } from '../http/caller.js';
import { mountOptions } from '../http/options.js';
import { parseObject } from '../http/parse-body.js';
import { addressKey } from '../http/client-address.js';
import { readBody } from '../http/read-body.js';
import { originOf } from '../http/read-request.js';
import { contextOf, type LoggedCaller, logCaller } from '../http/request-context.js';
import type { ResourceLimits } from '../http/resource-limits.js';
import { createCallTool } from './call-tool.js';

const path = '/mcp';
/** Any API key. The scope is checked for each tool call. */
const item = { id: 'mcp', auth: { scope: null, jwtToo: false } } as const;

/** Serves `POST /mcp`. The other methods of the protocol belong to sessions. A server without sessions must refuse them with 405. */
export function createMcp(deps: Deps, { authenticator, admit }: Access, limits: ResourceLimits): Router {
  const callTool = createCallTool(deps, limits);
  // The library is loaded only when MCP is on.
  const loading = import('./mcp-server.js').then(({ createAnswerMessage }) => createAnswerMessage({ callTool, logger: deps.logger }));
  const router = express.Router({ caseSensitive: true, strict: true });

  router.post(path, async (req, res) => {
    const context = contextOf(res);
    context.route = path;
    takeBearerKey(req);
    const credential = await authenticator.read(item.auth, req, res);
    const request = { item, credential, address: addressKey(context.address), note: (known: LoggedCaller) => logCaller(res, known) };
    const caller = (await admit(request, res)) as Caller;
    const admittedAt = performance.now();
    assertOrigin(req, deps.config);
    const memory = limits.workspaceMemory.reservationFor(caller.workspaceId);
    try {
      const body = await readBody(req, memory);
      await authenticator.assertStillValid(item.auth, credential, admittedAt);
      const message = parseObject(body);
      const answer = await loading;
      const by = { caller, origin: originOf(caller, req, context), newId: context.newId, traceparent: context.traceparent };
      const { status, type, text } = await answer(message, req.headers, by);
      if (type !== null) res.setHeader('Content-Type', type);
      res.status(status).end(text);
    } finally {
      memory.release();
    }
  });
  router.all(path, async (req, res, next) => {
    if (req.method === 'OPTIONS') return next();
    const context = contextOf(res);
    context.route = path;
    await deps.limiter.describeAddress(context.address, res);
    const error = { code: -32_000, message: 'This server has no sessions: use POST' };
    res.status(405).set('Allow', 'POST, OPTIONS').json({ jsonrpc: '2.0', error, id: null });
  });
  mountOptions(router, [{ method: 'post', path }], deps.limiter);
  return router;
}

/** Takes an API key from the header `Authorization` too, because many MCP clients can send no other header. */
function takeBearerKey(req: Request): void {
  const [, key] = /^Bearer +(tidings_\w+)$/i.exec(req.headers.authorization ?? '') ?? [];
  if (key !== undefined && req.headers['x-api-key'] === undefined) req.headers['x-api-key'] = key;
}

/** The protocol requires it, so that a web page cannot call a server in the network of its visitor. */
function assertOrigin({ headers: { origin } }: Request, { corsOrigins, publicUrl }: Deps['config']): void {
  const allowed = [...corsOrigins, new URL(publicUrl).origin];
  if (origin !== undefined && !allowed.includes('*') && !allowed.includes(origin)) throw forbiddenOrigin();
}
