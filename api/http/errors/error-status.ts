/** The HTTP side of the error catalogue: status and headers of each error, and the errors that only HTTP has. */
import { AppError, type ErrorCode, type Fault } from '../../../models/errors.js';

export const statuses: Readonly<Record<ErrorCode, number>> = {
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

/** An error with headers of its own, or with a status that does not follow from its code. */
class HttpError extends AppError {
  readonly status: number;
  readonly headers: Record<string, string>;

  constructor(parts: ErrorParts) {
    super(parts.code, parts.message, parts);
    this.status = parts.status;
    this.headers = parts.headers;
  }
}

/** Everything of an error, as plain data: it can be sent to another thread. */
export interface ErrorParts extends Pick<AppError, 'code' | 'message' | 'details' | 'retryAfterSeconds' | 'cause'> {
  status: number;
  /** Its own headers, without those that follow from other parts. */
  headers: Record<string, string>;
}

export function partsOf(error: AppError): ErrorParts {
  const { code, message, details, retryAfterSeconds, cause } = error;
  const headers = error instanceof HttpError ? error.headers : {};
  return { status: statusOf(error), headers, code, message, details, retryAfterSeconds, cause };
}

export function errorFrom(parts: ErrorParts): AppError {
  const { status, headers, code, message } = parts;
  if (status !== statuses[code] || Object.keys(headers).length > 0) return new HttpError(parts);
  return new AppError(code, message, parts);
}

const requestFault = (status: number, message: string) => errorFrom({ ...partsOf(new AppError('validation_failed', message)), status });

export const malformedRequest = () => requestFault(400, 'Malformed HTTP request');
/** A page's file is another one than the condition of the request names. */
export const preconditionFailed = () => requestFault(412, 'Precondition failed');
export const requestTooSlow = () => requestFault(408, 'Request took too long');
export const headersTooLarge = () => requestFault(431, 'Request headers too large');

/** The same error with further headers. */
export const withHeaders = (error: AppError, headers: Record<string, string>): AppError => {
  const parts = partsOf(error);
  return errorFrom({ ...parts, headers: { ...parts.headers, ...headers } });
};

/** The same error with a detail that helps the caller, and further headers. */
export const explained = (error: AppError, detail: Fault, headers: Record<string, string> = {}): AppError =>
  withHeaders(errorFrom({ ...partsOf(error), details: [detail] }), headers);

export const statusOf = (error: AppError): number => (error instanceof HttpError ? error.status : statuses[error.code]);

/** The headers that the answer to an error has beside those of every answer. */
export const headersOf = (error: AppError): Record<string, string> => ({
  ...(error instanceof HttpError ? error.headers : {}),
  ...(error.retryAfterSeconds === undefined ? {} : { 'Retry-After': String(error.retryAfterSeconds) }),
});
