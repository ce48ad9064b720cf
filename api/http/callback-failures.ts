/** Limits callbacks that fail, for example because their signature is wrong. Each failed callback costs a signature check. */
import { statusOf } from './errors/error-status.js';
import { AppError } from '../../models/errors.js';
import type { Endpoint } from './endpoint.js';
import type { HeaderSink, Limiter } from './rate-limit.js';

/** How long after a success an address counts as one of the sender. */
const knownMs = 3_600_000;
/** How many known addresses are kept for each operation. */
const knownMax = 10_000;

/** Who calls: the operation, the account of a carrier if there is such an account, and the address. */
interface Callback {
  item: Pick<Endpoint, 'auth' | 'id'>;
  account: string | undefined;
  address: string;
}

/**
 * Returns a function that runs the work of a request. Failures of provider callbacks are counted per client address, for each operation and
 * account of a carrier apart. After too many of them, all such callbacks of that address get 429 until the window ends, and their bodies are
 * not read. Everybody can make a carrier call our address, so an address from which a callback succeeded has a hundred times as much room.
 * Recipients of a workspace's mails succeed too, at unsubscribe links. So each operation has a list of its own, which others cannot fill.
 */
export function createCallbackFailures(limiter: Limiter) {
  const knownAt = new Map<string, Map<string, number>>(); // operation → key → when it succeeded last, the oldest first

  function noteSuccess(operation: string, key: string): void {
    const known = knownAt.get(operation) ?? new Map<string, number>();
    knownAt.set(operation, known);
    known.delete(key);
    known.set(key, performance.now());
    const [oldest] = known.keys();
    if (known.size > knownMax && oldest !== undefined) known.delete(oldest);
  }

  /** @throws AppError 429 after too many failures, and what the work throws */
  return async ({ item, account = '', address }: Callback, res: HeaderSink, work: () => Promise<void>): Promise<void> => {
    if (item.auth !== 'provider') return work();
    const key = [item.id, account, address].join(' ');
    const isKnown = performance.now() - (knownAt.get(item.id)?.get(key) ?? Number.NEGATIVE_INFINITY) < knownMs;
    const failures = { rateClass: isKnown ? 'knownFailure' : 'failure', key } as const;
    await limiter.assertRoom(failures, res);
    try {
      await work();
    } catch (error) {
      if (error instanceof AppError && statusOf(error) < 500) await limiter.consume(failures, res);
      throw error;
    }
    noteSuccess(item.id, key);
  };
}
