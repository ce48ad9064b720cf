/** Work of many requests, which neither fails at the rate limit of the workspace nor uses up its requests. */
import { nextRequestInMs } from './allowance.js';
import { isUnanswered, Problem } from './problem.js';

/** How long it waits after a refusal that does not say when requests are accepted again. */
const refusedMs = 5_000;
/** The waits before a request without an answer is repeated. */
const repeatMs = [1_000, 2_000, 4_000] as const;

/**
 * Makes a request at a pace that leaves others to the workspace. Repeats it for as long as the rate limit refuses it, and a few times when there
 * is no answer.
 * @throws what the request throws otherwise; AbortError after `signal`
 */
export async function patiently<T>(request: () => Promise<T>, signal: AbortSignal): Promise<T> {
  for (let lost = 0; ; ) {
    await pause(nextRequestInMs(), signal);
    try {
      return await request();
    } catch (error) {
      const isRefused = error instanceof Problem && error.status === 429;
      const ms = isRefused ? Math.max(nextRequestInMs(), refusedMs) : repeatMs[lost];
      if (ms === undefined || !(isRefused || isUnanswered(error))) throw error;
      if (!isRefused) lost += 1;
      await pause(ms, signal);
    }
  }
}

/** @throws AbortError after `signal` */
async function pause(ms: number, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted();
  if (ms <= 0) return;
  await new Promise<void>((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer);
      reject(signal.reason as Error);
    };
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', stop);
      resolve();
    }, ms);
    signal.addEventListener('abort', stop, { once: true });
  });
}
