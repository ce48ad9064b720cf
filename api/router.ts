/**
 * Serves declarations. For each, in one fixed order: limit → authenticate → scope → read the body → shed → validate → handle → envelope. A key
 * that this process has not seen yet is authenticated before it is counted, see `auth/admittance.ts`.
 */
import { statusOf } from './http/error-status.js';
import express, { type Request, type RequestHandler, type Response, type Router } from 'express';
import { AppError } from '../models/errors.js';
import type { Held } from '../models/flow/byte-room.js';
import { anonymous, type Origin } from '../models/rules/audit/origin.js';
import { bucketOf, createAdmittance } from './auth/admittance.js';
import { answer } from './http/answer.js';
import type { Asked } from './http/asked.js';
import { noHeaders, siteBucketOf } from './auth/auth-sites.js';
import { createAuthenticator } from './auth/authenticate.js';
import type { Deps } from './deps.js';
import type { Endpoint } from './http/endpoint.js';
import type { Reply } from './http/reply.js';
import type { Caller } from './http/caller.js';
import type { KnownCallers } from './auth/known-callers.js';
import { linksOf } from './http/links.js';
import { mountOptions } from './http/options.js';
import { addressKey } from './http/rate-limit.js';
import { readBytes } from './http/read-bytes.js';
import { contextOf, type RequestContext } from './http/request-context.js';
import { createRooms, type Rooms } from './http/rooms.js';
import { assertMaySend } from './auth/standing.js';
import { streamLines } from './http/stream-lines.js';

/** Mounts every endpoint at exactly its path: letter case and trailing slashes count. */
export function createRouter(endpoints: readonly Endpoint[], deps: Deps, known: KnownCallers): Router {
  const ordered = endpoints.toSorted(byUse);
  assertReachable(ordered);
  const router = express.Router({ caseSensitive: true, strict: true });
  const serve = server(deps, known);
  for (const item of ordered) router[item.method](item.path, serve(item));
  mountOptions(router, endpoints, deps.limiter);
  return router;
}

function server(deps: Deps, known: KnownCallers): (item: Endpoint) => RequestHandler {
  const authenticator = createAuthenticator(deps);
  const admit = createAdmittance(deps.limiter, authenticator, known);
  const rooms = createRooms();

  return (item) => async (req, res) => {
    const context = contextOf(res);
    context.route = item.path;
    const address = addressKey(req.ip);
    const credential = await authenticator.read(item.auth, req, res);
    const caller = await admit({ item, credential, address }, res);
    const site = siteBucketOf(item, req.ip);
    if (site !== null) await deps.limiter.consume(site, noHeaders);
    context.workspaceId = caller?.workspaceId;
    if (caller?.actor.type === 'api_key') context.keyId = caller.actor.id ?? undefined;
    if (item.sends === true && caller !== null) assertMaySend(caller, deps.config);
    const owner = caller?.workspaceId ?? address;
    await inTurn(item, rooms, owner, async () => {
      const held = rooms[caller === null ? 'ofAddresses' : 'ofWorkspaces'].holdFor(owner);
      try {
        if (item.auth === 'provider') await deps.limiter.assertRoom(failuresOf(address), res);
        const asked = await askedBy(caller, item, req, held, { ...deps, context });
        const rate = item.alsoCounts?.(asked.body);
        if (rate !== undefined) await deps.limiter.consume(bucketOf({ ...item, rate }, credential, address), res);
        const reply = await answered(item, asked, deps);
        if (reply.options.lines === undefined) respond(item, reply, req, res, deps.config.publicUrl);
        else await streamLines(reply.options.lines, req, res);
      } catch (error) {
        if (item.auth === 'provider' && isRefusal(error)) await deps.limiter.consume(failuresOf(address), res);
        throw error;
      } finally {
        held.release();
      }
    });
  };
}

/** Callbacks that are not the provider's: of an address with many of them none is read for the rest of the window. */
const failuresOf = (address: string) => ({ rateClass: 'failure', key: address }) as const;
const isRefusal = (error: unknown) => error instanceof AppError && statusOf(error) < 500;

/** Of operations with large bodies few of a workspace are under way: not even read, while they wait. */
const inTurn = (item: Endpoint, { turns }: Rooms, owner: string, work: () => Promise<void>) =>
  item.inBulkThread === true ? turns(work, owner) : work();

/** Enters the gate only now that the body is here: a body that comes slowly is nobody's turn. */
async function answered(item: Endpoint, asked: Asked, deps: Deps): Promise<Reply> {
  if (item.inBulkThread === true) return deps.bulkThread.answer(item.id, asked);
  const leave = item.gated === true && asked.caller !== null ? deps.acceptGate.enter(asked.caller.workspaceId) : undefined;
  try {
    return await answer(item, asked, deps);
  } finally {
    leave?.();
  }
}

function respond(item: Endpoint, { data, options }: Reply, req: Request, res: Response, publicUrl: string): void {
  const link = linksOf(item, req, data, publicUrl);
  if (link !== undefined) res.setHeader('Link', link);
  res.status(options.status ?? item.status ?? 200).set(options.headers ?? {});
  if (options.status === 204) res.end();
  else if (options.json !== undefined) res.type('json').send(Buffer.from(options.json));
  else res.json(item.envelope === false ? data : { success: true, data });
}

/** Longest name of a client that is kept. */
const userAgentMax = 255;

const originOf = (caller: Caller | null, req: Request, { requestId, address }: RequestContext): Origin => ({
  actor: caller?.actor ?? anonymous,
  address: address ?? null,
  userAgent: req.headers['user-agent']?.slice(0, userAgentMax) ?? null,
  requestId,
});

async function askedBy(
  caller: Caller | null,
  item: Endpoint,
  req: Request,
  held: Held,
  deps: Deps & { context: RequestContext },
): Promise<Asked> {
  const { params, query, headers, originalUrl } = req;
  // What comes before the body can be wrong already: then nothing is kept of it.
  const bytesMax = item.admit?.({ params: params as Record<string, string>, headers }, deps) ?? item.bodyBytesMax;
  const body = item.body === undefined && item.auth !== 'provider' ? Buffer.alloc(0) : await readBytes(req, held, bytesMax);
  const idempotencyKey = item.idempotent === true ? (req.get('idempotency-key') ?? null) : null;
  const origin = originOf(caller, req, deps.context);
  return { caller, origin, params, query, body, idempotencyKey, url: deps.config.publicUrl + originalUrl, headers };
}

/** Paths are tried one after the other: those of sends and of reports, which are most of all requests, first. */
const byUse = (one: Endpoint, other: Endpoint) => Number(isFrequent(other)) - Number(isFrequent(one));
const isFrequent = ({ gated, rate }: Endpoint) => gated === true || rate === 'callback';

/** Express takes the first path that fits: `/a/:id` before `/a/b` would make the second unreachable. */
export function assertReachable(endpoints: readonly Pick<Endpoint, 'id' | 'method' | 'path'>[]): void {
  endpoints.forEach((item, index) => {
    const hiding = endpoints.slice(0, index).find((earlier) => earlier.method === item.method && covers(earlier.path, item.path));
    if (hiding !== undefined) throw new Error(`${hiding.id} hides ${item.id}: declare ${item.path} before ${hiding.path}`);
  });
}

function covers(wide: string, narrow: string): boolean {
  const [wideParts, narrowParts] = [wide.split('/'), narrow.split('/')];
  return wideParts.length === narrowParts.length && wideParts.every((part, index) => part.startsWith(':') || part === narrowParts[index]);
}
