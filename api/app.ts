/** The HTTP application: the order of all middleware. */
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import express, { type RequestHandler } from 'express';
import helmet from 'helmet';
import { notFound } from '../models/errors.js';
import { cors } from './http/cors.js';
import type { Deps } from './deps.js';
import { createConsole } from './pages/console.js';
import { createDocs } from './pages/docs.js';
import { withLoadShedding } from './load-shedding.js';
import { endpoints } from './endpoints/index.js';
import { errorHandler } from './http/errors/error-handler.js';
import { createHandshakes } from './endpoints/callbacks/handshakes.js';
import { createAdmit } from './auth/admit.js';
import { createAuthenticator } from './auth/authenticate.js';
import { KnownCallers } from './auth/known-callers.js';
import { createMcp } from './mcp/mcp.js';
import { createMailPages } from './pages/mail-pages.js';
import { createPageStyle } from './pages/page-shell.js';
import { createBrowserPages } from './pages/browser-pages.js';
import { createRouteHints } from './http/errors/route-hints.js';
import { answerPreflight } from './http/options.js';
import { requireValidHead } from './http/server/request-head.js';
import { getOpenApiDocumentEndpoint } from './openapi/openapi-endpoint.js';
import { createClientAddress } from './http/client-address.js';
import { type Middleware, requestContext } from './http/request-context.js';
import { createResourceLimits } from './http/resource-limits.js';
import { createRouter } from './router.js';
import { createSecurityTxt } from './pages/security-txt.js';
import { traceRequest } from './tracing/trace-request.js';

/** Creates the request listener of the API. */
export function createApp(deps: Deps): RequestListener {
  const app = express();
  const firstMiddleware = [
    requestContext(deps.logger, { addressOf: createClientAddress(deps.config.trustedProxies), trace: traceRequest }),
    commonHeaders(),
    cors(deps.config.corsOrigins),
  ];
  const [known, limits, authenticator] = [new KnownCallers(), createResourceLimits(), createAuthenticator(deps)];
  const access = { authenticator, admit: createAdmit(deps.limiter, authenticator, known) };
  const served = [...endpoints, getOpenApiDocumentEndpoint];
  app.disable('x-powered-by');
  app.disable('etag'); // responses must not be cached, so they need no ETag
  app.set('query parser', 'simple');

  app.use(firstMiddleware);
  app.use(requireValidHead);
  app.use(onlyDeclaredMethods);
  app.use(createBrowserPages(deps.limiter)); // before the endpoints, which answer programs at the same paths
  app.use(createRouter(served, deps, access, limits));
  if (deps.config.mcp.isOn) app.use(createMcp(deps, access, limits));
  app.use(createConsole(deps)); // after the endpoints: its session is below its address
  app.use(createDocs(deps.limiter));
  app.use(createMailPages(deps.limiter));
  app.use(createPageStyle(deps.limiter));
  app.use(createSecurityTxt(deps.config, deps.limiter));
  app.use(createHandshakes(deps)); // after the router, which answers OPTIONS for these paths
  app.use(answerPreflight(deps.limiter));
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

/** Methods other than these are an unknown route. Express answers HEAD like GET without the body, and options.ts answers OPTIONS. */
const onlyDeclaredMethods: RequestHandler = (req, _res, next) => {
  next(['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'OPTIONS'].includes(req.method) ? undefined : notFound());
};

const refuseUnknownRoute: RequestHandler = () => {
  throw notFound();
};
