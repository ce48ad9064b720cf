/** Serves declarations. For each, in one fixed order: limit → shed → authenticate → scope → validate → handle → envelope. */
import express, { type Request, type RequestHandler, type Response, type Router } from 'express';
import { anonymous, type Origin } from '../models/rules/audit/origin.js';
import { type Asked, answer } from './answer.js';
import { type Authenticator, createAuthenticator, type Credential } from './authenticate.js';
import { readBytes } from './body.js';
import type { Deps } from './deps.js';
import type { Caller, Endpoint, Reply } from './endpoint.js';
import { linksOf } from './links.js';
import { mountOptions } from './options.js';
import { addressKey, type Bucket, plainAddress } from './rate-limit.js';
import { contextOf, type RequestContext } from './request-context.js';
import { assertMaySend } from './standing.js';
import { streamLines } from './stream-lines.js';

/** Mounts every endpoint at exactly its path: letter case and trailing slashes count. */
export function createRouter(endpoints: readonly Endpoint[], deps: Deps): Router {
  const ordered = endpoints.toSorted(byUse);
  assertReachable(ordered);
  const router = express.Router({ caseSensitive: true, strict: true });
  const authenticator = createAuthenticator(deps);
  for (const item of ordered) router[item.method](item.path, serve(item, authenticator, deps));
  mountOptions(router, endpoints, deps.limiter);
  return router;
}

function serve(item: Endpoint, authenticator: Authenticator, deps: Deps): RequestHandler {
  return async (req, res) => {
    const context = contextOf(res);
    context.route = item.path;
    context.address = plainAddress(req.ip);
    const credential = await authenticator.read(item.auth, req, res);
    const bucket = bucketOf(item, credential, addressKey(req.ip));
    await deps.limiter.consume(bucket, res);
    const leave = item.gated === true ? deps.acceptGate.enter(bucket.key) : undefined;
    try {
      const caller = await authenticator.identify(item.auth, credential);
      context.workspaceId = caller?.workspaceId;
      if (caller?.actor.type === 'api_key') context.keyId = caller.actor.id ?? undefined;
      if (item.sends === true && caller !== null) assertMaySend(caller, deps.config);
      const asked = await askedBy(caller, originOf(caller, req, context), item, req, res, deps.config.publicUrl);
      const reply = await (item.inBulkThread === true ? deps.bulkThread.answer(item.id, asked) : answer(item, asked, deps));
      if (reply.options.lines === undefined) respond(item, reply, req, res, deps.config.publicUrl);
      else await streamLines(reply.options.lines, req, res);
    } finally {
      leave?.();
    }
  };
}

function respond(item: Endpoint, { data, options }: Reply, req: Request, res: Response, publicUrl: string): void {
  const link = linksOf(item, req, data, publicUrl);
  if (link !== undefined) res.setHeader('Link', link);
  res.status(options.status ?? item.status ?? 200).set(options.headers ?? {});
  if (options.status === 204) res.end();
  else res.json(item.envelope === false ? data : { success: true, data });
}

/** Whose requests are counted together. Without a credential that can be anybody's, the address answers for them. */
export function bucketOf(item: Pick<Endpoint, 'id' | 'rate'>, credential: Credential, address: string): Bucket {
  if (item.rate === 'auth') return { rateClass: 'auth', key: `${item.id}:${address}` };
  if (item.rate === 'callback') return { rateClass: 'callback', key: address };
  if (credential.kind === 'key') return { rateClass: item.rate ?? 'api', key: credential.digest.toString('base64url') };
  // An old token must not be able to use up the limit of those who hold a newer one.
  if (credential.kind === 'jwt') return { rateClass: 'jwt', key: `${credential.claims.sub}:${credential.claims.tv}` };
  return { rateClass: 'address', key: item.id === 'health.get' ? `health:${address}` : address };
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
  origin: Origin,
  item: Endpoint,
  req: Request,
  res: Response,
  publicUrl: string,
): Promise<Asked> {
  const body = item.body === undefined && item.auth !== 'provider' ? Buffer.alloc(0) : await readBytes(req, res, item.bodyBytesMax);
  const idempotencyKey = item.idempotent === true ? (req.get('idempotency-key') ?? null) : null;
  const { params, query, headers, originalUrl } = req;
  return { caller, origin, params, query, body, idempotencyKey, url: publicUrl + originalUrl, headers };
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
