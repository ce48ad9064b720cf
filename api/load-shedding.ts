/**
 * Load shedding in front of Express. When clients send five times more than the service can accept, most requests are single sends that
 * get a 503. A refusal here costs a quarter of the CPU of a refusal inside Express, which leaves more CPU for the accepted sends.
 * The rate limits come before the accept gate, and the responses are those of the application. No credential is looked up. So requests go to
 * the application once the last look-up of their credential is a minute old, until one of them has room in its rate limits and the credential is
 * looked up again. A credential that has ended is forgotten then; before that its requests get 503 in place of 401.
 */
import { headersOf, statusOf } from './http/errors/error-status.js';
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { AppError, busy } from '../models/errors.js';
import { bucketOf, workspaceBucket } from './auth/admit.js';
import type { KnownCallers } from './auth/known-callers.js';
import { cacheKeyOfApiKey, presentedKey } from './auth/presented-key.js';
import type { Deps } from './deps.js';
import type { Endpoint } from './http/endpoint.js';
import { errorBody } from './http/errors/error-body.js';
import { hasValidHead } from './http/server/request-head.js';
import type { Bucket } from './http/limits/counters.js';
import { contextOf, type LoggedCaller, logCaller, type Middleware } from './http/request-context.js';

export interface LoadSheddingOptions extends Pick<Deps, 'acceptGate' | 'config' | 'limiter'> {
  /** The first middleware of every request: it sets the request context and the common headers. */
  firstMiddleware: readonly Middleware[];
  /** The endpoints that pass the accept gate. */
  gated: readonly Endpoint[];
  known: KnownCallers;
}

/**
 * As long as the usual rate-limit window. A client above its limit is looked up with the first request of a window. The period begins before that
 * request is counted, so it ends just before the window does: few requests get their 429 from the application.
 */
const lookUpEveryMs = 60_000;

/** Wraps the application. Sends that the accept gate would refuse are answered here. All other requests go to the application. */
export function withLoadShedding(app: RequestListener, options: LoadSheddingOptions): RequestListener {
  const { gated, known, acceptGate, config } = options;
  const endpoints = new Map(gated.map((endpoint) => [`${endpoint.method.toUpperCase()} ${endpoint.path}`, endpoint]));

  return (req, res) => {
    // Where the headers are not enough to tell, the application decides.
    const endpoint = endpoints.get(`${req.method} ${req.url}`);
    const credential = endpoint && hasValidHead(req) ? presentedKey(req, config.secretKeys) : undefined;
    const caller = credential && known.recentCallerOf(cacheKeyOfApiKey(credential), lookUpEveryMs);
    if (endpoint !== undefined && credential !== undefined && caller !== undefined && acceptGate.isFullFor(caller.workspaceId))
      void refuse(options, { endpoint, bucket: bucketOf(endpoint, credential, '', caller.keyId), caller }, req, res);
    else app(req, res);
  };
}

/** Counts the request in its rate limits, then answers 429 if a limit is exceeded, else 503. */
async function refuse(
  { firstMiddleware, limiter }: LoadSheddingOptions,
  { endpoint, bucket, caller }: { endpoint: Endpoint; bucket: Bucket; caller: LoggedCaller },
  req: IncomingMessage,
  res: ServerResponse,
): Promise<void> {
  for (const middleware of firstMiddleware) middleware(req, res, () => undefined);
  contextOf(res).route = endpoint.path;
  logCaller(res, caller);
  writeError(res, await limiter.consume(bucket, res, workspaceBucket(caller.workspaceId)).then(busy, toAppError));
}

/** If the limiter itself fails, the answer is still 503. */
const toAppError = (error: unknown): AppError => (error instanceof AppError ? error : busy());

function writeError(res: ServerResponse, error: AppError): void {
  const body = JSON.stringify(errorBody(error, contextOf(res).requestId));
  const type = { 'Content-Type': 'application/json; charset=utf-8', 'Content-Length': Buffer.byteLength(body) };
  res.writeHead(statusOf(error), { ...headersOf(error), ...type });
  res.end(body);
}
