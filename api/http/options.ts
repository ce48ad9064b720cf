/** Answers OPTIONS requests with the methods of the path. For a preflight request, cors.ts has already set the CORS headers. */
import type { RequestHandler, Response, Router } from 'express';
import type { Endpoint } from './endpoint.js';
import { isPreflight } from './cors.js';
import type { Limiter } from './rate-limit.js';
import { contextOf } from './request-context.js';

/** The value of the header `Allow` for a path with these methods. */
export const allowOf = (declared: readonly string[]): string =>
  [...declared, ...(declared.includes('GET') ? ['HEAD'] : []), 'OPTIONS'].join(', ');

/** Adds an OPTIONS handler for every path of these endpoints. It is not rate limited. */
export function mountOptions(router: Router, endpoints: readonly Pick<Endpoint, 'method' | 'path'>[], limiter: Limiter): void {
  for (const path of new Set(endpoints.map((item) => item.path))) {
    const declared = endpoints.filter((item) => item.path === path).map((item) => item.method.toUpperCase());
    router.options(path, answerOptions(limiter, path, declared));
  }
}

/**
 * A handler for OPTIONS requests of a path with these methods. Every path that has a handler for GET needs it: otherwise Express answers by
 * itself, without the headers of all responses.
 */
export function answerOptions(limiter: Limiter, route: string, declared: readonly string[]): RequestHandler {
  const allow = allowOf(declared);
  return async (_req, res) => {
    contextOf(res).route = route;
    res.setHeader('Allow', allow);
    await endWithoutBody(res, limiter);
  };
}

/**
 * Answers the preflight request of an allowed origin to an unknown path. Otherwise its page would see a failure of CORS in place of the 404 and
 * its hint.
 */
export const answerPreflight =
  (limiter: Limiter): RequestHandler =>
  async (_req, res, next) => {
    if (isPreflight(res)) await endWithoutBody(res, limiter);
    else next();
  };

async function endWithoutBody(res: Response, limiter: Limiter): Promise<void> {
  await limiter.describeAddress(contextOf(res).address, res);
  res.status(204).end();
}
