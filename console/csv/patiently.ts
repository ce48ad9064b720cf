/** Work of many requests, which must not fail at the rate limit of the workspace. */
import { Problem } from '../api/problem.js';

/** How long it waits when the workspace has used up its requests. */
const waitMs = 5_000;

/**
 * Repeats a request for as long as the rate limit refuses it.
 * @throws what the request throws otherwise; AbortError after `signal`
 */
export async function patiently<T>(request: () => Promise<T>, signal: AbortSignal): Promise<T> {
  for (;;) {
    try {
      return await request();
    } catch (error) {
      if (!(error instanceof Problem) || error.status !== 429) throw error;
      await pause(waitMs, signal);
    }
  }
}

/** @throws AbortError after `signal` */
export function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer);
      reject(signal.reason as Error);
    };
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', stop);
      resolve();
    }, ms);
    if (signal.aborted) stop();
    else signal.addEventListener('abort', stop, { once: true });
  });
}
