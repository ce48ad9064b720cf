/** Declares our endpoints: binds the declarations of `http/endpoint.ts` to the services of `deps.ts`. */
import type { BulkDeps, Deps } from './deps.js';
import { declaring, type Wrap } from './http/endpoint.js';
import { declaringLists } from './http/list.js';

/** The same handler, once it is the turn of the caller's workspace. */
const inTurn: Wrap<Deps> = (handler) => (input, deps) => deps.readTurns(() => handler(input, deps), input.caller?.workspaceId);

/** Declares an endpoint. */
export const endpoint = declaring<Deps>(inTurn);

/**
 * Declares an endpoint of the bulk thread, for bodies with thousands of recipients. It is listed in `endpoints/bulk/bulk-endpoints.ts`, and its
 * handler has fewer services.
 */
export const bulkEndpoint = declaring<BulkDeps>();

/** Declares the endpoint of a list, see `declaringLists`. */
export const list = declaringLists<Deps>(inTurn);
