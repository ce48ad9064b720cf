/** When a failed webhook delivery is attempted again (docs/contract/webhooks.md). */

/** The longest wait that an endpoint can ask for. */
export const retryAfterSecondsMax = 86_400;
const jitterShare = 0.2;

/**
 * Seconds until the next attempt; null if the retry schedule has ended.
 * @param delays the retry schedule: seconds before the second, third, … attempt
 * @param attempts how many scheduled attempts were made, at least 1
 * @param retryAfterSeconds the wait that the endpoint asked for. It is honoured up to a day, and never shortens a delay
 * @param random from 0 to 1. Jitter only lengthens a delay
 */
export function retryDelaySeconds(
  delays: readonly number[],
  attempts: number,
  retryAfterSeconds: number | null,
  random = Math.random(),
): number | null {
  const delay = delays[attempts - 1];
  if (delay === undefined) return null;
  return Math.max(delay * (1 + jitterShare * random), Math.min(retryAfterSeconds ?? 0, retryAfterSecondsMax));
}

/** More than anybody waits, and few enough for a timestamp. */
const secondsMax = 999_999_999;

/** The three forms of a date in HTTP (RFC 9110 §5.6.7). The last one names no zone, but is in UTC as well. */
const httpDates = [
  /^[A-Z][a-z]{2}, \d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d GMT$/,
  /^[A-Z][a-z]{5,8}, \d\d-[A-Z][a-z]{2}-\d\d \d\d:\d\d:\d\d GMT$/,
  /^[A-Z][a-z]{2} [A-Z][a-z]{2} [\d ]\d \d\d:\d\d:\d\d \d{4}$/,
];

/**
 * The seconds in a `Retry-After` header (RFC 9110 §10.2.3: seconds or a date); null if it has no usable value. Some services send a fraction.
 * Any other text is ignored, because `Date.parse` finds a date in almost every one, such as the year 2032 in `32.5`.
 */
export function parseRetryAfter(header: string | undefined, now: Date): number | null {
  const text = header?.trim() ?? '';
  if (/^\d+(?:\.\d+)?$/.test(text)) return Math.min(Math.ceil(Number(text)), secondsMax);
  if (!httpDates.some((form) => form.test(text))) return null;
  const date = Date.parse(text.endsWith(' GMT') ? text : `${text} GMT`);
  return Number.isNaN(date) || date <= now.getTime() ? null : Math.ceil((date - now.getTime()) / 1000);
}
