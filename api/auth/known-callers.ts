/**
 * Remembers which workspace and API key each valid credential belongs to. That never changes, so the rate limiter can count a request for its
 * workspace before the credential is looked up, and a refused request can be logged. The application checks in the
 * database for every request whether the credential is still valid. Load shedding passes on one request a minute for that, and refuses the others.
 */
import type { LoggedCaller } from '../http/request-context.js';

/** How many credentials are remembered. The one that was added first is removed first. */
const callersMax = 20_000;

export class KnownCallers {
  readonly #callers = new Map<string, LoggedCaller>();

  /** @param cacheKey of the credential, see `cacheKeyOf` in `admit.ts` */
  callerOf(cacheKey: string): LoggedCaller | undefined {
    return this.#callers.get(cacheKey);
  }

  remember(cacheKey: string, caller: LoggedCaller): void {
    if (this.#callers.has(cacheKey)) return;
    const [oldest] = this.#callers.keys();
    if (this.#callers.size >= callersMax && oldest !== undefined) this.#callers.delete(oldest);
    this.#callers.set(cacheKey, caller);
  }

  forget(cacheKey: string): void {
    this.#callers.delete(cacheKey);
  }
}
