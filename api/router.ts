/** Mounts the declared endpoints in Express. */
import express, { type Router } from 'express';
import type { Access } from './auth/admit.js';
import type { Deps } from './deps.js';
import type { Endpoint } from './http/endpoint.js';
import { mountOptions } from './http/options.js';
import type { ResourceLimits } from './http/resource-limits.js';
import { createEndpointServer } from './serve-endpoint.js';

/** Mounts every endpoint at exactly its path: letter case and trailing slashes count. */
export function createRouter(endpoints: readonly Endpoint<Deps>[], deps: Deps, access: Access, limits: ResourceLimits): Router {
  const ordered = endpoints.toSorted(byFrequency);
  assertReachable(ordered);
  const router = express.Router({ caseSensitive: true, strict: true });
  const serve = createEndpointServer(deps, access, limits);
  for (const item of ordered) {
    // `/a/:id` would take the fixed path `/a/b` for an id where `/a/b` lacks the method: it is an unknown route.
    for (const path of fixedPathsUnder(item, endpoints)) router[item.method](path, (_req, _res, next) => next('router'));
    router[item.method](item.path, serve(item));
  }
  mountOptions(router, endpoints, deps.limiter);
  return router;
}

type Place = Pick<Endpoint, 'method' | 'path'>;

/** Express tries paths in order. Single sends and delivery reports are most of the requests, so their paths come first. */
const byFrequency = (one: Endpoint, other: Endpoint) => Number(isFrequent(other)) - Number(isFrequent(one));
const isFrequent = ({ gated, rate }: Endpoint) => gated === true || rate === 'callback';

/**
 * Express uses the first path that matches: `/a/:id` before `/a/b` would make `/a/b` unreachable.
 * @throws Error when an endpoint is unreachable
 */
export function assertReachable(endpoints: readonly (Place & Pick<Endpoint, 'id'>)[]): void {
  endpoints.forEach((item, index) => {
    const hiding = endpoints.slice(0, index).find((earlier) => earlier.method === item.method && covers(earlier.path, item.path));
    if (hiding !== undefined) throw new Error(`${hiding.id} hides ${item.id}: declare ${item.path} before ${hiding.path}`);
  });
}

/** The declared paths that this path would match although they do not have its method. */
function fixedPathsUnder({ method, path }: Place, endpoints: readonly Place[]): string[] {
  const paths = new Set(endpoints.map((each) => each.path));
  for (const each of endpoints) if (each.method === method) paths.delete(each.path);
  return [...paths].filter((fixed) => covers(path, fixed));
}

function covers(wide: string, narrow: string): boolean {
  if (!wide.includes(':')) return wide === narrow;
  const [wideParts, narrowParts] = [wide.split('/'), narrow.split('/')];
  return wideParts.length === narrowParts.length && wideParts.every((part, index) => part.startsWith(':') || part === narrowParts[index]);
}
