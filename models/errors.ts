/** The error catalogue: one function per refusal, its exact public text (interface.md, Errors; decisions §1). */
import { formatCredits } from './rules/billing/credits.js';

export type ErrorCode =
  | 'validation_failed'
  | 'unauthorized'
  | 'token_expired'
  | 'forbidden'
  | 'insufficient_credits'
  | 'spend_limit'
  | 'purchase_failed'
  | 'not_found'
  | 'email_exists'
  | 'idempotency_mismatch'
  | 'payload_too_large'
  | 'conflict'
  | 'limit_reached'
  | 'rate_limited'
  | 'code_required'
  | 'internal_error'
  | 'unavailable';

/** One fault of a request: the path of the field (empty where none is at fault) and the text. */
export interface Fault {
  field: string;
  message: string;
}

/** An answer that is not a success. `message` is public by definition; private context goes into `cause`. */
export class AppError extends Error {
  readonly details: Fault[] | undefined;
  readonly headers: Record<string, string>;

  constructor(
    readonly status: number,
    readonly code: ErrorCode,
    message: string,
    options: { details?: Fault[]; headers?: Record<string, string>; cause?: unknown } = {},
  ) {
    // A refusal is an answer and has no stack: to note one would be a good part of what it costs. A fault of ours is the cause, with its own.
    const { stackTraceLimit } = Error;
    Error.stackTraceLimit = 0;
    super(message, { cause: options.cause });
    Error.stackTraceLimit = stackTraceLimit;
    this.name = 'AppError';
    this.details = options.details ?? (code === 'validation_failed' ? [{ field: '', message }] : undefined);
    this.headers = options.headers ?? {};
  }
}

/** Resources by the name that their 404 carries. */
export type ResourceName =
  | 'Message'
  | 'Batch'
  | 'Contact'
  | 'Webhook'
  | 'Delivery'
  | 'Replay'
  | 'API key'
  | 'Credit package'
  | 'Suppression'
  | 'Erasure';

/** Faults that an answer lists; the last one may say how many more there are. */
export const faultsListedMax = 100;

/** 400 with the faults found; the first one gives the text. */
export function invalid(faults: Fault[]): AppError {
  const details = listed(faults, faults.length, '');
  return new AppError(400, 'validation_failed', details[0]?.message ?? 'Invalid request', { details });
}

/** As many faults as an answer lists, with a note of how many there are besides. */
export function listed(faults: readonly Fault[], count: number, field: string): Fault[] {
  if (count <= faultsListedMax) return [...faults];
  const shown = faults.slice(0, faultsListedMax - 1);
  return [...shown, { field, message: `${(count - shown.length).toLocaleString('en-US')} more faults are not listed` }];
}
/** 400 for one field. */
export const invalidField = (field: string, message: string) => invalid([{ field, message }]);
export const missingField = (field: string) => invalidField(field, missingFieldText(field));
/** What is said of a field that nobody knows and that looks like a known one. */
export const unknownFieldText = (field: string, meant: string) => `Unknown field: ${field}. Did you mean ${meant}?`;
export const missingFieldText = (field: string) => `Missing required field: ${field}`;
/** 400; `where` tells more behind the fault. */
export const invalidJson = (where?: string) =>
  invalid([{ field: '', message: 'Invalid JSON body' }, ...(where === undefined ? [] : [{ field: '', message: where }])]);
/** 400; what is not HTTP as the standard has it. */
export const malformedRequest = () => invalidField('', 'Malformed HTTP request');
export const emailExists = () =>
  new AppError(400, 'email_exists', 'Email already exists', { details: [{ field: 'email', message: 'Email already exists' }] });
export const invalidMailToken = () => invalidField('token', 'Invalid or expired token');

/** 400; each of the fields belongs to another contact of the workspace. */
export const contactExists = (fields: readonly ('phone' | 'email')[]) =>
  invalid(fields.map((field) => ({ field, message: `Contact with this ${field} already exists` })));
/** What is said of a phone in a country that the workspace has not allowed. */
export const countryText = (country: string) => `Sending to ${country} is not allowed`;
export const unreachableContact = () => invalidField('phone', missingFieldText('phone or email'));
/** 400; the payment provider's signature. */
export const invalidSignature = () => invalidField('Stripe-Signature', 'Invalid signature');

/** 401; `why` tells more in the details. */
const unauthorized = (code: ErrorCode, message: string, field: string, why: string) =>
  new AppError(401, code, message, { details: [{ field, message: why }] });
export const missingApiKey = (why = 'This operation needs an API key in the header X-API-Key') =>
  unauthorized('unauthorized', 'Missing X-API-Key header', 'X-API-Key', why);
export const invalidApiKey = (why = 'The API key is unknown, has expired, or is not allowed from this address') =>
  unauthorized('unauthorized', 'Invalid API key', 'X-API-Key', why);
export const deactivatedApiKey = () =>
  unauthorized('unauthorized', 'API key has been deactivated', 'X-API-Key', 'A deactivated key stays so: create another one');
export const invalidToken = (why = 'The session has ended: log in again') =>
  unauthorized('unauthorized', 'Invalid or expired token', 'Authorization', why);
export const expiredToken = () =>
  unauthorized('token_expired', 'Invalid or expired token', 'Authorization', 'The JWT has expired: log in again');
export const wrongPassword = () => new AppError(401, 'unauthorized', 'Invalid email or password');
/** 401; the password is right, and a second factor is in force. */
export const codeRequired = () => new AppError(401, 'code_required', 'Verification code required');
export const wrongCode = () => new AppError(401, 'unauthorized', 'Invalid verification code');
/** 400; the code of a caller who is logged in. */
export const invalidCode = () => invalidField('code', 'Invalid verification code');

/** 402; both amounts in thousandths of a credit. */
export const insufficientCredits = (needed: number, balance: number) =>
  new AppError(
    402,
    'insufficient_credits',
    `Insufficient credits. You need ${formatCredits(needed)} credits but have ${formatCredits(balance)}.`,
  );
/** 402; the limit that the workspace has set itself. */
export const spendLimitReached = () => new AppError(402, 'spend_limit', 'Daily spending limit reached');
/** 402; `cause` is what the payment provider said, for the log only. */
export const purchaseFailed = (cause?: unknown) => new AppError(402, 'purchase_failed', 'Credit purchase failed', { cause });
export const missingScope = (scope: string) => new AppError(403, 'forbidden', `API key does not have required scope: ${scope}`);
/** 403; an operator has stopped it. */
export const suspended = () => new AppError(403, 'forbidden', 'Workspace is suspended');
export const unverified = () => new AppError(403, 'forbidden', 'Verify your email address first');
export const keyChannelRefused = (channel: string) => new AppError(403, 'forbidden', `API key may not use channel: ${channel}`);
export const badSignature = () => new AppError(403, 'forbidden', 'Invalid signature');
export const notFound = (resource?: ResourceName) =>
  new AppError(404, 'not_found', resource === undefined ? 'Not found' : `${resource} not found`);
export const requestTooSlow = () => new AppError(408, 'validation_failed', 'Request took too long');
export const conflict = (message: string) => new AppError(409, 'conflict', message);
/** 409; `what` in the plural. */
export const limitReached = (whose: string, most: number, what: string) =>
  new AppError(409, 'limit_reached', `${whose} can have at most ${most.toLocaleString('en-US')} ${what}`);
export const bodyTooLarge = () => new AppError(413, 'payload_too_large', 'Request body too large');
export const idempotencyMismatch = () => new AppError(422, 'idempotency_mismatch', 'Idempotency key was used with a different request');
export const headersTooLarge = () => new AppError(431, 'validation_failed', 'Request headers too large');
/** 429; `seconds` until the window ends, at least 1. */
export const rateLimited = (seconds: number) =>
  new AppError(429, 'rate_limited', `Rate limit exceeded. Try again in ${seconds} seconds.`, {
    headers: { 'Retry-After': String(seconds) },
  });
/** 429; a workspace has had its share of mails for now. */
export const tooManyMails = () => rateLimited(3600);
/** 500 with the fixed text; `cause` is logged, never shown. */
export const internal = (cause?: unknown, retryAfterSeconds?: number) =>
  new AppError(500, 'internal_error', 'Internal server error. Please try again later.', {
    cause,
    ...(retryAfterSeconds === undefined ? {} : { headers: { 'Retry-After': String(retryAfterSeconds) } }),
  });
export const billingNotConfigured = () => unavailable('Billing is not configured', 3600);
/** 503; more is waiting than can be done soon. */
export const busy = () => unavailable('The service is busy. Please try again later.', 1);
const unavailable = (message: string, retryAfterSeconds = 5) =>
  new AppError(503, 'unavailable', message, { headers: { 'Retry-After': String(retryAfterSeconds) } });
