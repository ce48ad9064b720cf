/** The whole middleware order, on one screen. */
import express, { type Express, type RequestHandler } from 'express';
import helmet from 'helmet';
import { notFound } from '../models/errors.js';
import type { Deps } from './deps.js';
import { endpoints } from './endpoints/index.js';
import { errorHandler } from './error-handler.js';
import { openapiEndpoint } from './openapi.js';
import { requestContext } from './request-context.js';
import { createRouter } from './router.js';

/** The HTTP application; listening is the caller's business. */
export function createApp(deps: Deps): Express {
  const app = express();
  app.disable('x-powered-by');
  app.disable('etag'); // nothing here may be stored, so nothing is revalidated
  app.set('query parser', 'simple');
  app.set('trust proxy', deps.config.trustedProxies);

  app.use(requestContext(deps.logger));
  app.use(helmet());
  app.use(noStore);
  app.use(onlyDeclaredMethods);
  app.use(createRouter([...endpoints, openapiEndpoint(endpoints)], deps));
  app.use(refuseUnknownRoute);
  app.use(errorHandler(deps.limiter, deps.logger));
  return app;
}

const noStore: RequestHandler = (_req, res, next) => {
  res.setHeader('Cache-Control', 'no-store');
  next();
};

/** Express would answer HEAD with the GET handler and OPTIONS by itself; here they are unknown routes like any other. */
const onlyDeclaredMethods: RequestHandler = (req, _res, next) => {
  next(['GET', 'POST', 'PUT', 'DELETE'].includes(req.method) ? undefined : notFound());
};

const refuseUnknownRoute: RequestHandler = () => {
  throw notFound();
};
