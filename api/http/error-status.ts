/** The HTTP side of the error catalogue: status and headers of each error, and the errors that only HTTP has. */
import { AppError, type ErrorCode } from '../../models/errors.js';

const statuses: Readonly<Record<ErrorCode, number>> = {
  validation_failed: 400,
  email_exists: 400,
  unauthorized: 401,
  token_expired: 401,
  code_required: 401,
  insufficient_credits: 402,
  spend_limit: 402,
  purchase_failed: 402,
  forbidden: 403,
  not_found: 404,
  conflict: 409,
  limit_reached: 409,
  payload_too_large: 413,
  idempotency_mismatch: 422,
  rate_limited: 429,
  internal_error: 500,
  unavailable: 503,
};

/** An error of the HTTP request itself. Its status does not follow from its code. */
class HttpError extends AppError {
  constructor(
    readonly status: number,
    message: string,
  ) {
    super('validation_failed', message);
  }
}

export const malformedRequest = () => new HttpError(400, 'Malformed HTTP request');
export const requestTooSlow = () => new HttpError(408, 'Request took too long');
export const headersTooLarge = () => new HttpError(431, 'Request headers too large');

export const statusOf = (error: AppError): number => (error instanceof HttpError ? error.status : statuses[error.code]);

/** The headers that the answer to an error has beside those of every answer. */
export const headersOf = ({ retryAfterSeconds }: AppError): Record<string, string> =>
  retryAfterSeconds === undefined ? {} : { 'Retry-After': String(retryAfterSeconds) };
