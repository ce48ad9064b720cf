/** The whole middleware order, on one screen. */
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import express, { type RequestHandler } from 'express';
import helmet from 'helmet';
import { notFound } from '../models/errors.js';
import { cors } from './http/cors.js';
import type { Deps } from './deps.js';
import { createDocs } from './pages/docs.js';
import { createDoor } from './door.js';
import { endpoints } from './endpoints/index.js';
import { errorHandler } from './http/error-handler.js';
import { createHandshakes } from './outside/handshakes.js';
import { KnownCallers } from './auth/known-callers.js';
import { createMailPages } from './pages/mail-pages.js';
import { createRouteHints } from './http/route-hints.js';
import { requireHost } from './http/malformed.js';
import { openapiEndpoint } from './openapi/openapi.js';
import { plainAddress } from './http/plain-address.js';
import { contextOf, requestContext, type Step } from './http/request-context.js';
import { createRouter } from './router.js';
import { createSecurityTxt } from './pages/security-txt.js';

/** The HTTP application; listening is the caller's business. */
export function createApp(deps: Deps): RequestListener {
  const behindProxy = deps.config.trustedProxies.length > 0;
  const opening = [requestContext(deps.logger, { behindProxy }), sameHeaders(), cors(deps.config.corsOrigins)];
  const known = new KnownCallers();
  const served = [...endpoints, openapiEndpoint(endpoints)];
  const app = express();
  app.disable('x-powered-by');
  app.disable('etag'); // nothing here may be stored, so nothing is revalidated
  app.set('query parser', 'simple');
  app.set('trust proxy', deps.config.trustedProxies);

  app.use(opening);
  if (behindProxy) app.use(noteAddress);
  app.use(requireHost);
  app.use(onlyDeclaredMethods);
  app.use(createRouter(served, deps, known));
  app.use(createDocs(deps.limiter));
  app.use(createMailPages(deps.limiter));
  app.use(createSecurityTxt(deps.config, deps.limiter));
  app.use(createHandshakes(deps)); // after the paths that tell their methods: this one has more
  app.use(refuseUnknownRoute);
  app.use(errorHandler(deps.limiter, deps.logger, createRouteHints(served)));
  return createDoor(app, { opening, gated: endpoints.filter(({ gated }) => gated === true), known, ...deps });
}

/** What all answers carry alike, asked of helmet once: its dozen steps would be a good part of what an answer costs. */
function sameHeaders(): Step {
  const headers = new Map([['Cache-Control', 'no-store']]);
  const noted = {
    setHeader: (name: string, value: string) => headers.set(name, value),
    removeHeader: (name: string) => headers.delete(name),
  };
  helmet()({} as IncomingMessage, noted as unknown as ServerResponse, () => undefined);
  return (_req, res, next) => {
    res.setHeaders(headers);
    next();
  };
}

/** Express knows which proxies are trusted. */
const noteAddress: RequestHandler = (req, res, next) => {
  contextOf(res).address = plainAddress(req.ip);
  next();
};

/** HEAD is answered as GET without the body, OPTIONS by options.ts; every other method is an unknown route. */
const onlyDeclaredMethods: RequestHandler = (req, _res, next) => {
  next(['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'OPTIONS'].includes(req.method) ? undefined : notFound());
};

const refuseUnknownRoute: RequestHandler = () => {
  throw notFound();
};
