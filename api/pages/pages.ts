/** What the few HTML pages beside the API have in common: their limit and their content security policy. */
import type { RequestHandler } from 'express';
import { addressKey, type Limiter } from '../http/rate-limit.js';
import { contextOf } from '../http/request-context.js';

/**
 * First handler of a page and of its files: counts the request per address, apart from the calls that the page makes, and sets the policy.
 * @param route name of the page in the log and in the limiter
 * @param policy directives of the content security policy
 */
export function asPage(limiter: Limiter, route: string, policy: readonly string[]): RequestHandler {
  return async (req, res, next) => {
    contextOf(res).route = route;
    await limiter.consume({ rateClass: 'address', key: `page:${route}:${addressKey(req.ip)}` }, res);
    res.setHeader('Content-Security-Policy', policy.join('; '));
    next();
  };
}
