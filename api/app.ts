/** The HTTP application: the order of all middleware. */
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import express, { type Express, type Request, type RequestHandler } from 'express';
import helmet from 'helmet';
import { notFound } from '../models/errors.js';
import { cors } from './http/cors.js';
import type { Deps } from './deps.js';
import { createConsole } from './pages/console.js';
import { createDocs } from './pages/docs.js';
import { withLoadShedding } from './load-shedding.js';
import { endpoints } from './endpoints/index.js';
import { errorHandler } from './http/errors/error-handler.js';
import { createHandshakes } from './outside/handshakes.js';
import { KnownCallers } from './auth/known-callers.js';
import { createMcp } from './mcp/mcp.js';
import { createMailPages } from './pages/mail-pages.js';
import { createPageStyle } from './pages/page-shell.js';
import { createPeoplePages } from './pages/people-pages.js';
import { createRouteHints } from './http/errors/route-hints.js';
import { requireHost } from './http/errors/malformed.js';
import { openapiEndpoint } from './openapi/openapi-endpoint.js';
import { contextOf, type Middleware, plainAddress, requestContext } from './http/request-context.js';
import { createResourceLimits } from './http/resource-limits.js';
import { createRouter } from './router.js';
import { createSecurityTxt } from './pages/security-txt.js';
import { traceRequest } from './tracing/trace-request.js';

/** Creates the request listener of the API. */
export function createApp(deps: Deps): RequestListener {
  const behindProxy = deps.config.trustedProxies.length > 0;
  const app = express();
  const firstMiddleware = [
    requestContext(deps.logger, { behindProxy, trace: traceRequest }),
    ...(behindProxy ? [setClientAddress(app)] : []),
    commonHeaders(),
    cors(deps.config.corsOrigins),
  ];
  const [known, limits] = [new KnownCallers(), createResourceLimits()];
  const served = [...endpoints, openapiEndpoint];
  app.disable('x-powered-by');
  app.disable('etag'); // responses must not be cached, so they need no ETag
  app.set('query parser', 'simple');
  app.set('trust proxy', deps.config.trustedProxies);

  app.use(firstMiddleware);
  app.use(requireHost);
  app.use(onlyDeclaredMethods);
  app.use(createPeoplePages(deps.limiter)); // before the endpoints, which answer programs at the same paths
  app.use(createRouter(served, deps, known, limits));
  if (deps.config.mcp.isOn) app.use(createMcp(deps, known, limits));
  app.use(createConsole(deps)); // after the endpoints: its session is below its address
  app.use(createDocs(deps.limiter));
  app.use(createMailPages(deps.limiter));
  app.use(createPageStyle(deps.limiter));
  app.use(createSecurityTxt(deps.config, deps.limiter));
  app.use(createHandshakes(deps)); // after the router, which answers OPTIONS for these paths
  app.use(refuseUnknownRoute);
  app.use(errorHandler(deps.limiter, deps.logger, createRouteHints(served)));
  return withLoadShedding(app, { firstMiddleware, gated: endpoints.filter(({ gated }) => gated === true), known, ...deps });
}

/** Sets the headers that all responses share. Helmet computes them once at start, because running its middleware costs much CPU per request. */
function commonHeaders(): Middleware {
  const headers = new Map([['Cache-Control', 'no-store']]);
  const recorder = {
    setHeader: (name: string, value: string) => headers.set(name, value),
    removeHeader: (name: string) => headers.delete(name),
  };
  helmet()({} as IncomingMessage, recorder as unknown as ServerResponse, () => undefined);
  return (_req, res, next) => {
    res.setHeaders(headers);
    next();
  };
}

/**
 * Express computes the client address from X-Forwarded-For, because it knows the trusted proxies. It reads headers and socket only, so it
 * also does so for a request that does not reach it.
 */
const setClientAddress = (app: Express): Middleware => {
  const { request } = app as unknown as { request: Request };
  return (req, res, next) => {
    const given = req.headers['x-forwarded-for'];
    if (typeof given === 'string') req.headers['x-forwarded-for'] = withoutPorts(given);
    const seen = Object.create(request, { headers: { value: req.headers }, socket: { value: req.socket } }) as Request;
    contextOf(res).address = plainAddress(seen.ip);
    next();
  };
};

/** A list of addresses without the ports that some gateways add. With them each connection would be an address of its own, without a limit. */
const withoutPorts = (list: string) => list.replaceAll(/\[([^\][,]+)\](?::\d+)?|(\d+(?:\.\d+){3}):\d+/g, '$1$2');

/** Methods other than these are an unknown route. Express answers HEAD like GET without the body, and options.ts answers OPTIONS. */
const onlyDeclaredMethods: RequestHandler = (req, _res, next) => {
  next(['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'OPTIONS'].includes(req.method) ? undefined : notFound());
};

const refuseUnknownRoute: RequestHandler = () => {
  throw notFound();
};
