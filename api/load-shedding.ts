/**
 * Load shedding in front of Express. When clients send five times more than the service can accept, most requests are single sends that
 * get a 503. A refusal here costs a quarter of the CPU of a refusal inside Express, which leaves more CPU for the accepted sends.
 * The rate limits come before the accept gate, and the responses are those of the application. No credential is looked up. So once a minute a
 * request of each credential goes to the application, which forgets one that has ended; before that its requests get 503 in place of 401.
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
import { hasValidHead } from './http/errors/request-head.js';
import type { Bucket } from './http/limits/counters.js';
import { contextOf, type LoggedCaller, logCaller, type Middleware } from './http/request-context.js';

export interface LoadSheddingOptions extends Pick<Deps, 'acceptGate' | 'config' | 'limiter'> {
  /** The first middleware of every request: it sets the request context and the common headers. */
  firstMiddleware: readonly Middleware[];
  /** The endpoints that pass the accept gate. */
  gated: readonly Endpoint[];
  known: KnownCallers;
}

const lookUpEveryMs = 60_000;

/** Wraps the application. Sends that the accept gate would refuse are answered here. All other requests go to the application. */
export function withLoadShedding(app: RequestListener, options: LoadSheddingOptions): RequestListener {
  const { gated, known, acceptGate, config } = options;
  const endpoints = new Map(gated.map((endpoint) => [`${endpoint.method.toUpperCase()} ${endpoint.path}`, endpoint]));
  const isDue = createLookUpTurns();

  return (req, res) => {
    // Where the headers are not enough to tell, the application decides.
    const endpoint = endpoints.get(`${req.method} ${req.url}`);
    const credential = endpoint && hasValidHead(req) ? presentedKey(req, config.secretKeys) : undefined;
    const caller = credential && known.callerOf(cacheKeyOfApiKey(credential));
    if (
      endpoint !== undefined &&
      credential !== undefined &&
      caller !== undefined &&
      acceptGate.isFullFor(caller.workspaceId) &&
      !isDue(caller)
    )
      void refuse(options, { endpoint, bucket: bucketOf(endpoint, credential, '', caller.keyId), caller }, req, res);
    else app(req, res);
  };
}

/** @returns whether it is time that the application looks up the credential of a caller again */
function createLookUpTurns(): (caller: LoggedCaller) => boolean {
  const dueAts = new WeakMap<LoggedCaller, number>();
  return (caller) => {
    const now = performance.now();
    const dueAt = dueAts.get(caller) ?? now + lookUpEveryMs;
    dueAts.set(caller, now < dueAt ? dueAt : now + lookUpEveryMs);
    return now >= dueAt;
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
