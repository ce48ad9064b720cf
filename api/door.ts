/**
 * What comes before Express. Where five times too much comes, most requests are sends that are turned away: at the door that costs a
 * quarter of what it costs inside, which leaves more for those who are let in. The answers are the same, and so is their order.
 */
import { headersOf, statusOf } from './http/error-status.js';
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { AppError, busy } from '../models/errors.js';
import type { Deps } from './deps.js';
import type { Endpoint } from './http/endpoint.js';
import { errorBody } from './http/error-handler.js';
import { presentedKey } from './auth/presented-key.js';
import type { Bucket } from './http/rate-limit.js';
import { contextOf, type Step } from './http/request-context.js';
import { bucketOf, ofWorkspace } from './auth/admittance.js';
import type { KnownCallers } from './auth/known-callers.js';

export interface DoorOptions extends Pick<Deps, 'acceptGate' | 'config' | 'limiter'> {
  /** What all requests go through. */
  opening: readonly Step[];
  gated: readonly Endpoint[];
  known: KnownCallers;
}

/** The application behind a door: sends that the gate would shed are answered here, all else inside. */
export function createDoor(app: RequestListener, { opening, gated, known, acceptGate, config, limiter }: DoorOptions): RequestListener {
  const endpoints = new Map(gated.map((endpoint) => [`${endpoint.method.toUpperCase()} ${endpoint.path}`, endpoint]));

  const turnAway = async (endpoint: Endpoint, buckets: [Bucket, Bucket], req: IncomingMessage, res: ServerResponse) => {
    const [bucket, beside] = buckets;
    for (const step of opening) step(req, res, () => undefined);
    contextOf(res).route = endpoint.path;
    answer(res, await limiter.consume(bucket, res, beside).then(busy, refusalOf));
  };
  return (req, res) => {
    const endpoint = endpoints.get(`${req.method} ${req.url}`);
    const bucket = endpoint && bucketAtSight(endpoint, req, config.secretKeys);
    const workspaceId = bucket && known.workspaceOf(bucket.key);
    if (endpoint !== undefined && bucket !== undefined && workspaceId !== undefined && acceptGate.isFullFor(workspaceId))
      void turnAway(endpoint, [bucket, ofWorkspace(workspaceId)], req, res);
    else app(req, res);
  };
}

/** Of requests with nothing about them but a key; all others, and keys that are not known, are for the application to understand. */
function bucketAtSight(endpoint: Endpoint, req: IncomingMessage, secretKeys: readonly string[]): Bucket | undefined {
  const credential = req.headers.host === undefined ? undefined : presentedKey(req, secretKeys);
  return credential && bucketOf(endpoint, credential, '');
}

/** A limiter that fails is no reason to answer anything else. */
const refusalOf = (error: unknown): AppError => (error instanceof AppError ? error : busy());

function answer(res: ServerResponse, refusal: AppError): void {
  const body = JSON.stringify(errorBody(refusal, contextOf(res).requestId));
  const type = { 'Content-Type': 'application/json; charset=utf-8', 'Content-Length': Buffer.byteLength(body) };
  res.writeHead(statusOf(refusal), { ...headersOf(refusal), ...type });
  res.end(body);
}
