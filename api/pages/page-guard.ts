/** The rate limit and the content security policy of the HTML pages, and routers of small ones. */
import express, { type RequestHandler, type Router } from 'express';
import { addressKey } from '../http/client-address.js';
import { mountOptions } from '../http/options.js';
import type { Limiter } from '../http/rate-limit.js';
import { contextOf } from '../http/request-context.js';

/** The limit of a page: `callback` if machines open it for people, from few addresses. */
export type PageRate = 'address' | 'callback';

/**
 * The first handler of a page and its files. It counts the request per address, separately from API calls, and sets the policy.
 * @param route the name of the page in the log and in the limiter
 * @param policy the directives of the content security policy
 */
export function guardPage(limiter: Limiter, route: string, policy: readonly string[], rateClass: PageRate = 'address'): RequestHandler {
  return async (_req, res, next) => {
    const context = contextOf(res);
    context.route = route;
    await limiter.consume({ rateClass, key: `page:${route}:${addressKey(context.address)}` }, res);
    res.setHeader('Content-Security-Policy', policy.join('; '));
    next();
  };
}

/** A page, or a file of one, that is made once. */
interface TextPage {
  path: string;
  /** As in `res.type`. */
  type: string;
  text: string;
}

/** Serves these pages, each with a limit of its own. */
export function servePages(limiter: Limiter, policy: readonly string[], pages: readonly TextPage[]): Router {
  const router = express.Router({ caseSensitive: true, strict: true });
  for (const { path, type, text } of pages)
    router.get(path, guardPage(limiter, path, policy), (_req, res) => void res.type(type).send(text));
  mountOptions(
    router,
    pages.map(({ path }) => ({ method: 'get', path })),
    limiter,
  );
  return router;
}
