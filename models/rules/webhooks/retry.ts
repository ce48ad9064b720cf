/** When a failed webhook delivery is tried again (docs/contract/webhooks.md). */

/** What a receiver may ask for at most. */
export const retryAfterSecondsMax = 86_400;
const jitterShare = 0.2;

/**
 * Seconds until the next attempt; null when the ladder is used up.
 * @param delays the ladder: seconds before the second, third, … attempt
 * @param attempts automatic attempts made so far, at least 1
 * @param retryAfterSeconds what the receiver asked for; honoured up to a day, never shortens the ladder
 * @param random from 0 to 1; jitter only ever adds, so that the ladder is never shorter than it says
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

/** Seconds that a `Retry-After` header asks for (RFC 9110 §10.2.3: seconds or a date); null when it says nothing usable. */
export function parseRetryAfter(header: string | undefined, now: Date): number | null {
  if (header === undefined) return null;
  if (/^\d{1,9}$/.test(header.trim())) return Number(header);
  const date = Date.parse(header);
  return Number.isNaN(date) || date <= now.getTime() ? null : Math.ceil((date - now.getTime()) / 1000);
}
