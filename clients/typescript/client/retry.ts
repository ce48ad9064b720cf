/** When a call is repeated, and after which pause. */
import type { TidingsError } from './errors.js';

const firstPauseMs = 500;
const longestPauseMs = 10_000;
/** Rate limits have windows of a minute. A longer wait is for the caller to decide. */
const longestRetryAfterSeconds = 65;
/** No answer, or an answer of something that could not ask the service. */
const isUnanswered = ({ status, code }: TidingsError) => (status === 0 && code !== 'invalid_answer') || status === 502 || status === 504;
/** The service refused because of its load, and has done nothing. */
const isBusy = ({ status, code }: TidingsError) => status === 503 && code === 'unavailable';

/** Whether the service wants to be called again so late that the caller decides. */
export const isTooLong = ({ retryAfterSeconds }: TidingsError): boolean => (retryAfterSeconds ?? 0) > longestRetryAfterSeconds;

/**
 * Whether a request may be sent again after this failure (docs/contract/errors.md). A request that was refused because of a rate limit or the
 * load of the service left no trace. In all other cases the service may have done the work, so only a request that is safe to repeat is sent
 * again.
 * @param isSafeToRepeat true for reads, for changes to a given state, and for requests with an idempotency key
 */
export function isRetryable(error: TidingsError, isSafeToRepeat: boolean): boolean {
  if (isTooLong(error)) return false;
  if (error.status === 429 || isBusy(error)) return true;
  return isSafeToRepeat && (isUnanswered(error) || error.status === 500 || error.status === 503);
}

/** Reasons of Node, Deno and Bun for which no request was sent: no address, no connection, or not to the right server. */
const unconnected = new RegExp(
  '^(ECONNREFUSED|ConnectionRefused|ENOTFOUND|EAI_\\w+|EHOSTUNREACH|EHOSTDOWN|ENETUNREACH|ENETDOWN|UND_ERR_CONNECT_TIMEOUT|.*CERT.*|' +
    'UNABLE_TO_VERIFY_LEAF_SIGNATURE|ERR_SSL_WRONG_VERSION_NUMBER|ERR_SSL_PACKET_LENGTH_TOO_LONG)$',
);

/** Whether the service may have done the work, though this attempt failed. */
export function mayHaveEffect(error: TidingsError): boolean {
  // A success that cannot be read may come from the service or from a proxy: it decides nothing.
  if (error.status > 0) return error.status < 300 || (error.status >= 500 && !isBusy(error));
  const { code, cause } = Object(error.cause) as { code?: unknown; cause?: { code?: unknown } };
  return !unconnected.test(String(cause?.code ?? code));
}

/**
 * The pause before a further attempt, in milliseconds: doubled each time, half of it random, so that many clients do not come back at once;
 * never shorter than the service demands.
 * @param attempt 0 for the first repetition
 */
export function pauseMs(attempt: number, retryAfterSeconds: number | null, random = Math.random()): number {
  const pause = Math.min(firstPauseMs * 2 ** attempt, longestPauseMs);
  const demanded = retryAfterSeconds === null ? 0 : retryAfterSeconds * 1000;
  return demanded + pause * (0.5 + random / 2) * (demanded > 0 ? 0.5 : 1);
}

/** Timers fire at once after a longer time: 24.8 days. */
const longestTimerMs = 2 ** 31 - 1;

/** The time as a timer can have it: a whole number of milliseconds, at most 24.8 days. */
export const timerMs = (ms: number): number => Math.min(Math.ceil(ms), longestTimerMs);

/** Waits, at most 24.8 days, or throws the reason of the signal as soon as it is aborted. */
export function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted === true) return reject(signal.reason);
    const abort = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', abort);
      resolve();
    }, timerMs(ms));
    signal?.addEventListener('abort', abort, { once: true });
  });
}

/**
 * Waits for a promise, or throws the reason of the signal as soon as it is aborted. If the signal was aborted before the call, a promise that is
 * settled by then wins.
 */
export function orAborted<T>(promise: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return promise;
  let abort: () => void;
  const aborted = new Promise<never>((_, reject) => {
    abort = () => reject(signal.reason);
    signal.addEventListener('abort', abort, { once: true });
  });
  if (signal.aborted) setTimeout(() => abort());
  return Promise.race([promise, aborted]).finally(() => signal.removeEventListener('abort', abort));
}
