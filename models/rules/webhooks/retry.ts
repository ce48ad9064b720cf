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

/** The seconds in a `Retry-After` header (RFC 9110 §10.2.3: seconds or a date); null if it has no usable value. */
export function parseRetryAfter(header: string | undefined, now: Date): number | null {
  if (header === undefined) return null;
  if (/^\d+$/.test(header.trim())) return Math.min(Number(header), secondsMax);
  const date = Date.parse(header);
  return Number.isNaN(date) || date <= now.getTime() ? null : Math.ceil((date - now.getTime()) / 1000);
}
