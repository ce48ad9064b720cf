/** How many requests the workspace has left, by the headers of the last answer (docs/contract/limits.md). */

interface Allowance {
  limit: number;
  left: number;
  /** When it is full again. */
  until: number;
}

let known: Allowance | null = null;
/** Nothing is accepted before. */
let refusedUntil = 0;

export function noteAllowance(headers: Headers): void {
  const given = (name: string) => Number.parseInt(headers.get(name) ?? '', 10);
  const [limit, left, reset] = [given('X-RateLimit-Limit'), given('X-RateLimit-Remaining'), given('X-RateLimit-Reset')];
  const retryAfter = given('Retry-After');
  const now = Date.now();
  if (!Number.isNaN(retryAfter)) refusedUntil = now + retryAfter * 1000;
  if ([limit, left, reset].some(Number.isNaN)) return;
  // The clock of the service need not be that of this browser.
  const answered = Date.parse(headers.get('Date') ?? '');
  known = { limit, left, until: now + reset * 1000 - (Number.isNaN(answered) ? now : answered) };
}

/**
 * How long work of many requests waits before its next one. The first three tenths go at once, the next three are spread over the rest of the
 * window, and four tenths are left to programs and other screens of the workspace.
 * @returns milliseconds
 */
export function nextRequestInMs(): number {
  const now = Date.now();
  const refused = Math.max(0, refusedUntil - now);
  if (known === null || known.left > 0.7 * known.limit) return refused;
  const free = Math.max(1, known.left - 0.4 * known.limit);
  return Math.max(refused, (known.until - now) / free);
}
