/**
 * The error catalogue: one function for each error, with its public text; those with status 401 are in refused-credentials.ts, with 409 in conflicts.ts.
 * The status and the headers of an answer are in `api/http/errors/error-status.ts`.
 */
import { formatCredits } from './rules/billing/credits.js';

/** The codes for programs. */
export const errorCodes = [
  'validation_failed',
  'unauthorized',
  'token_expired',
  'forbidden',
  'insufficient_credits',
  'spend_limit',
  'purchase_failed',
  'not_found',
  'email_exists',
  'idempotency_mismatch',
  'payload_too_large',
  'conflict',
  'limit_reached',
  'rate_limited',
  'code_required',
  'internal_error',
  'unavailable',
] as const;
export type ErrorCode = (typeof errorCodes)[number];

/** One fault of a request: the path of its field (empty for the request as a whole) and the text. */
export interface Fault {
  field: string;
  message: string;
  /** How to correct it, if the text is fixed and does not say that. */
  hint?: string;
}

/** An error that the caller sees. `message` is public. Private context goes into `cause`. */
export class AppError extends Error {
  readonly details: Fault[] | undefined;
  /** After how many seconds the same request may succeed. */
  readonly retryAfterSeconds: number | undefined;

  constructor(
    readonly code: ErrorCode,
    message: string,
    options: { details?: Fault[] | undefined; retryAfterSeconds?: number | undefined; cause?: unknown } = {},
  ) {
    // No stack: it would not help the caller, and making it costs a large part of the request. `cause` has its own.
    const { stackTraceLimit } = Error;
    Error.stackTraceLimit = 0;
    super(message, { cause: options.cause });
    Error.stackTraceLimit = stackTraceLimit;
    this.name = 'AppError';
    this.details = options.details ?? (code === 'validation_failed' ? [{ field: '', message }] : undefined);
    this.retryAfterSeconds = options.retryAfterSeconds;
  }
}

/** The names of resources in the texts of `notFound`. */
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
  | 'Erasure'
  | 'Session';

/** The maximum number of faults in an answer. The last one may say how many more there are. */
export const faultsListedMax = 100;

/** All faults of a request. The first one gives the text. */
export function invalid(faults: Fault[]): AppError {
  const details = capFaults(faults, faults.length, '');
  return new AppError('validation_failed', details[0]?.message ?? 'Invalid request', { details });
}

/** The faults that fit into an answer, with a note on how many are left out. */
export function capFaults(faults: readonly Fault[], count: number, field: string): Fault[] {
  if (count <= faultsListedMax) return [...faults];
  const shown = faults.slice(0, faultsListedMax - 1);
  return [...shown, { field, message: `${(count - shown.length).toLocaleString('en-US')} more errors are not listed` }];
}
/** Texts of faults that are also in the OpenAPI document. */
export const faultTexts = {
  date: 'Invalid date format',
  page: 'Page must be at least 1',
  pageTooLarge: `Page must be between 1 and ${Number.MAX_SAFE_INTEGER}`,
  limit: 'Limit must be between 1 and 100',
  cursor: 'Invalid cursor',
  cursorAndPage: 'cursor cannot be combined with page',
  mailToken: 'Invalid or expired token',
  shortPassword: 'Password must be at least 8 characters',
  commonPassword: 'Password is too common',
  countries: 'Invalid allowed_countries. Must be ISO 3166 two-letter codes',
  idempotencyKey: 'Idempotency-Key must be 1 to 255 visible ASCII characters',
} as const;

/** A fault of one field. */
export const invalidField = (field: string, message: string) => invalid([{ field, message }]);
export const missingField = (field: string) => invalidField(field, missingFieldText(field));
/** The text for an unknown field with a name similar to a known one. */
export const unknownFieldText = (field: string, meant: string) => `Unknown field: ${field}. Did you mean ${meant}?`;
export const missingFieldText = (field: string) => `Missing required field: ${field}`;
/** @param hint what is wrong with the body, and where */
export const invalidJson = (hint?: string) =>
  invalid([{ field: '', message: 'Invalid JSON body', ...(hint === undefined ? {} : { hint }) }]);
export const emailExists = () =>
  new AppError('email_exists', 'Email already exists', { details: [{ field: 'email', message: 'Email already exists' }] });
/** The cursor is malformed, or belongs to another list, workspace or set of filters. */
export const invalidCursor = () => invalidField('cursor', faultTexts.cursor);
/** @param hint why it cannot be used */
export const invalidMailToken = (hint?: string) =>
  invalid([{ field: 'token', message: faultTexts.mailToken, ...(hint === undefined ? {} : { hint }) }]);

/** The password is one of the commonest, or consists of words of its own account. */
export const commonPassword = () => invalidField('password', faultTexts.commonPassword);

/** Another contact of the workspace has these values. Each field is a fault. */
export const contactExists = (fields: readonly ('phone' | 'email')[]) =>
  invalid(fields.map((field) => ({ field, message: `Contact with this ${field} already exists` })));
/** The text for a phone number in a country that the workspace does not permit. */
export const countryText = (country: string) => `Sending to ${country} is not allowed`;
export const unreachableContact = () => invalidField('phone', missingFieldText('phone or email'));
/** @param field its name, or `{field}` in a rule */
export const pastText = (field: string) => `${field} must be in the future`;
export const periodTooLong = (days: number) => invalidField('from', `from and to must be at most ${days} days apart`);
/** A callback of a provider lacks this field, or the field cannot be read. */
export const malformedReport = (field: string) => invalidField(field, 'Malformed report');
/** The signature of the payment provider is wrong. */
export const invalidPaymentSignature = () => invalidField('Stripe-Signature', 'Invalid signature');

/** The verification code of a logged-in caller is wrong. */
export const invalidCode = () => invalidField('code', 'Invalid verification code');

/** Both amounts are in thousandths of a credit. */
export const insufficientCredits = (needed: number, balance: number) =>
  new AppError(
    'insufficient_credits',
    `Insufficient credits. You need ${formatCredits(needed)} credits but have ${formatCredits(balance)}.`,
  );
/** The limit is one that the workspace has set for itself. */
export const spendLimitReached = () => new AppError('spend_limit', 'Daily spending limit reached');
/** `cause` is the answer of the payment provider. It is only logged. */
export const purchaseFailed = (cause?: unknown) => new AppError('purchase_failed', 'Credit purchase failed', { cause });
/** The beginning of the text of a missing scope. */
export const scopeText = 'API key does not have required scope: ';
export const missingScope = (scope: string) => new AppError('forbidden', scopeText + scope);
/** An operator has suspended the workspace. */
export const suspended = () => new AppError('forbidden', 'Workspace is suspended');
export const unverified = () => new AppError('forbidden', 'Verify your email address first');
/** The setting SIGNUP is `closed`. */
export const signupClosed = () => new AppError('forbidden', 'Sign-up is closed. Ask the operator for an account');
/** The setting SIGNUP names domains. */
export const signupLimited = (domains: readonly string[]) =>
  new AppError('forbidden', `Sign-up is only for e-mail addresses at ${domains.join(', ')}`);
export const keyChannelRefused = (channel: string) => new AppError('forbidden', `API key may not use channel: ${channel}`);
/** A page of another origin uses the session of the console. */
export const foreignOrigin = () => new AppError('forbidden', 'The console session works from its own origin only');
/** A page of a browser, from an origin that CORS_ORIGINS does not name. */
export const forbiddenOrigin = () => new AppError('forbidden', 'This origin may not use MCP');
/** `cause` is only for the log. */
export const invalidCallbackSignature = (cause?: Error) => new AppError('forbidden', 'Invalid signature', { cause });
export const notFound = (resource?: ResourceName) =>
  new AppError('not_found', resource === undefined ? 'Not found' : notFoundText(resource));
export const notFoundText = (resource: ResourceName) => `${resource} not found`;
export const bodyTooLarge = () => new AppError('payload_too_large', 'Request body too large');
export const idempotencyMismatch = () => new AppError('idempotency_mismatch', 'Idempotency key was used with a different request');
/** @param seconds until the window ends, at least 1 */
export const rateLimited = (seconds: number) =>
  new AppError('rate_limited', `Rate limit exceeded. Try again in ${seconds} seconds.`, { retryAfterSeconds: seconds });
/** The workspace has requested too many mails. */
export const tooManyMails = () => rateLimited(3600);
/** `cause` is only logged. */
export const internal = (cause?: unknown, retryAfterSeconds?: number) =>
  new AppError('internal_error', 'Internal server error. Please try again later.', { cause, retryAfterSeconds });
export const billingNotConfigured = () => unavailable('Billing is not configured', 3600);
/** The service is overloaded. */
export const busy = () => unavailable('The service is busy. Please try again later.', 1);
const unavailable = (message: string, retryAfterSeconds: number) => new AppError('unavailable', message, { retryAfterSeconds });
