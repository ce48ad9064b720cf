/** Writes error responses. An `AppError` is sent to the client; any other error is logged and answered with 500. */
import { errorBody } from './error-body.js';
import { headersOf, preconditionFailed, statusOf } from './error-status.js';
import type { ErrorRequestHandler, Response } from 'express';
import { AppError, internal, notFound } from '../../../models/errors.js';
import type { Logger } from '../../../models/process/logger.js';
import { describeWait, type Limiter } from '../rate-limit.js';
import { contextOf } from '../request-context.js';
import type { Explain } from './route-hints.js';

export function errorHandler(limiter: Limiter, logger: Logger, explain: Explain): ErrorRequestHandler {
  return async (error: unknown, req, res, _next) => {
    const { requestId, route, address } = contextOf(res);
    const refusal = explain(error instanceof AppError ? error : translate(error), req.method, req.path);
    // A 503 is deliberate load shedding. It is not logged as an error, because the log line of the request already contains the status.
    if (statusOf(refusal) >= 500 && refusal.code !== 'unavailable')
      logger.error({ err: refusal.cause ?? refusal, request_id: requestId, route }, 'request failed');
    // Errors that occur before the rate limit also get its headers.
    if (!res.headersSent && !res.hasHeader('X-RateLimit-Limit')) {
      await limiter
        .describeAddress(address, res)
        .catch((err: unknown) => logger.warn({ err }, 'the rate limit could not be read: an error response has no X-RateLimit headers'));
    }
    write(res, refusal);
  };
}

/** Headers of a file that was not sent after all. */
const ofFiles = ['Content-Encoding', 'Content-Type', 'ETag', 'Last-Modified'];

function write(res: Response, refusal: AppError): void {
  if (res.headersSent) {
    res.destroy();
    return;
  }
  for (const name of ofFiles) res.removeHeader(name);
  res.setHeader('Cache-Control', 'no-store');
  if (statusOf(refusal) === 401) res.setHeader('WWW-Authenticate', contextOf(res).challenge); // RFC 9110, 15.5.2
  res.status(statusOf(refusal)).set(headersOf(refusal));
  if (refusal.code === 'rate_limited') describeWait(res, refusal.retryAfterSeconds);
  res.json(errorBody(refusal, contextOf(res).requestId));
}

/** Maps errors of Express and of `sendFile` to our errors. Texts of libraries are never sent to clients. */
function translate(error: unknown): AppError {
  const { status } = error as { status?: number };
  if (error instanceof URIError) return notFound(); // a path that cannot be decoded
  if (status === 404) return notFound(); // a file of a page that was deleted after the start
  if (status === 412) return preconditionFailed();
  return internal(error);
}
