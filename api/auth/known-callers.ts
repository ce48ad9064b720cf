/**
 * Remembers which workspace and API key each valid credential belongs to. That never changes, so the rate limiter can count a request for its
 * workspace before the credential is looked up, and a refused request can be logged. The application checks in the database for every request
 * whether the credential is still valid. Load shedding refuses requests only within a minute of such a look-up.
 */
import type { LoggedCaller } from '../http/request-context.js';

/** How many credentials are remembered. The one that was added first is removed first. */
const callersMax = 20_000;

interface KnownCaller {
  caller: LoggedCaller;
  /** When the last request began whose look-up found the credential valid, by `performance.now()`. */
  validAt: number;
}

export class KnownCallers {
  readonly #callers = new Map<string, KnownCaller>();

  /** @param cacheKey of the credential, see `cacheKeyOf` in `admit.ts` */
  callerOf(cacheKey: string): LoggedCaller | undefined {
    return this.#callers.get(cacheKey)?.caller;
  }

  /** @returns the caller if its credential was valid in these last milliseconds */
  recentCallerOf(cacheKey: string, periodMs: number): LoggedCaller | undefined {
    const known = this.#callers.get(cacheKey);
    return known !== undefined && performance.now() - known.validAt < periodMs ? known.caller : undefined;
  }

  remember(cacheKey: string, caller: LoggedCaller, validAt: number): void {
    if (this.#callers.has(cacheKey)) return;
    const [oldest] = this.#callers.keys();
    if (this.#callers.size >= callersMax && oldest !== undefined) this.#callers.delete(oldest);
    this.#callers.set(cacheKey, { caller, validAt });
  }

  /** Adds nothing: another request may have found in the meantime that the credential has ended. */
  confirm(cacheKey: string, validAt: number): void {
    const known = this.#callers.get(cacheKey);
    if (known !== undefined) known.validAt = validAt;
  }

  forget(cacheKey: string): void {
    this.#callers.delete(cacheKey);
  }
}
