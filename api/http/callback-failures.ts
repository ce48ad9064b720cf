/** Limits callbacks that fail, for example because their signature is wrong. Each failed callback costs a signature check. */
import { statusOf } from './errors/error-status.js';
import { AppError } from '../../models/errors.js';
import type { Endpoint } from './endpoint.js';
import type { HeaderSink, Limiter } from './rate-limit.js';

/**
 * Runs the work of a request. Failures of provider callbacks are counted per client address. After too many of them, all callbacks of that
 * address get 429 until the window ends, and their bodies are not read.
 * @throws AppError 429 after too many failures, and what the work throws
 */
export async function limitCallbackFailures(
  { auth }: Pick<Endpoint, 'auth'>,
  address: string,
  { limiter, res }: { limiter: Limiter; res: HeaderSink },
  work: () => Promise<void>,
): Promise<void> {
  if (auth !== 'provider') return work();
  const failures = { rateClass: 'failure', key: address } as const;
  await limiter.assertRoom(failures, res);
  try {
    await work();
  } catch (error) {
    if (error instanceof AppError && statusOf(error) < 500) await limiter.consume(failures, res);
    throw error;
  }
}
