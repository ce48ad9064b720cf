/** What a call throws. */

/** A fault of one field of the request. */
export interface ErrorDetail {
  field: string;
  message: string;
}

/** What is known of a failure. */
export interface Failure {
  status: number;
  code: string;
  message: string;
  details?: readonly ErrorDetail[];
  hints?: readonly string[];
  requestId?: string | null;
  retryAfterSeconds?: number | null;
}

/** The service refused a request, or could not be reached. */
export class TidingsError extends Error {
  override readonly name = 'TidingsError';
  /** The HTTP status; 0 if there was no answer. */
  readonly status: number;
  /** A word for programs (docs/contract/errors.md); without an answer of the service: `network_error`, `timeout` or `invalid_answer`. */
  readonly code: string;
  /** All faults of the fields; empty unless the status is 400, 401 or 404. */
  readonly details: readonly ErrorDetail[];
  /** How to correct the faults, for people. */
  readonly hints: readonly string[];
  /** Include it in support requests. Null if there was no answer. */
  readonly requestId: string | null;
  /** When the service wants to be called again, in seconds; null if it does not say. */
  readonly retryAfterSeconds: number | null;
  /** The idempotency key of the call, also if the client chose it. Null if the call has none. */
  readonly idempotencyKey: string | null = null;
  /**
   * Whether the service may have done the work, in any attempt, though the call failed. Then call again with the same idempotency key; without one,
   * look first whether it was done.
   */
  readonly isUndecided: boolean = false;

  constructor(
    { status, code, message, details = [], hints = [], requestId = null, retryAfterSeconds = null }: Failure,
    options?: ErrorOptions,
  ) {
    super(message, options);
    this.status = status;
    this.code = code;
    this.details = details;
    this.hints = hints;
    this.requestId = requestId;
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

/** The error of a response that is not a success. Its body may not be JSON of ours, because a proxy may have answered. */
export async function errorOf(response: Response): Promise<TidingsError> {
  const text = await response.text();
  const answer = objectOf(text);
  return new TidingsError({
    status: response.status,
    code: typeof answer.code === 'string' ? answer.code : 'invalid_answer',
    message: typeof answer.error === 'string' ? answer.error : textOfStatus(response),
    details: Array.isArray(answer.details) ? (answer.details as ErrorDetail[]) : [],
    hints: Array.isArray(answer.hints) ? (answer.hints as string[]) : [],
    requestId: typeof answer.request_id === 'string' ? answer.request_id : response.headers.get('x-request-id'),
    retryAfterSeconds: secondsOf(response.headers.get('retry-after')),
  });
}

/** The message of an answer without a text of the service. After a redirect it names the new address. */
function textOfStatus({ status, headers }: Response): string {
  const location = headers.get('location');
  return `HTTP status ${status}${status < 400 && location !== null ? `, a redirect to ${location}. Check baseUrl` : ''}`;
}

/** An object in JSON; an empty one if the text is anything else. */
function objectOf(text: string): Record<string, unknown> {
  try {
    return Object(JSON.parse(text)) as Record<string, unknown>;
  } catch {
    return {};
  }
}

/** The three forms of a date in HTTP (RFC 9110 §5.6.7). The last one names no zone, but is in UTC as well. */
const httpDates = [
  /^[A-Z][a-z]{2}, \d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d GMT$/,
  /^[A-Z][a-z]{5,8}, \d\d-[A-Z][a-z]{2}-\d\d \d\d:\d\d:\d\d GMT$/,
  /^[A-Z][a-z]{2} [A-Z][a-z]{2} [\d ]\d \d\d:\d\d:\d\d \d{4}$/,
];

/** `Retry-After` as seconds, also with a fraction, or as a date (RFC 9110 §10.2.3). `Date.parse` alone finds a date in almost every text. */
function secondsOf(value: string | null): number | null {
  const text = value?.trim() ?? '';
  if (/^\d+(?:\.\d+)?$/.test(text)) return Number(text);
  if (!httpDates.some((form) => form.test(text))) return null;
  const date = Date.parse(text.endsWith(' GMT') ? text : `${text} GMT`);
  return Number.isNaN(date) ? null : Math.max(0, (date - Date.now()) / 1000);
}

/** Runtimes hide the reason of a failed fetch in its cause. */
export function reasonOf(error: unknown): string {
  const { cause, message } = Object(error) as { cause?: { code?: unknown; message?: unknown }; message?: unknown };
  return String(cause?.code ?? cause?.message ?? message ?? error);
}
