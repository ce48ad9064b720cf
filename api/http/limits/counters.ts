/** The counters of the rate limits, in Redis or in the memory of this process. */
import {
  type IRateLimiterOptions,
  type RateLimiterAbstract,
  RateLimiterMemory,
  RateLimiterRedis,
  RateLimiterRes,
} from 'rate-limiter-flexible';
import { BatchQueue } from '../../../models/flow/batch-queue.js';
import { groupBy } from '../../../models/rules/values/group-by.js';
import type { RateLimit } from '../../../models/settings/limit-settings.js';
import type { LimitStore } from './redis.js';

export type RateClass =
  | 'api'
  | 'jwt'
  | 'bulk'
  | 'auth'
  | 'site'
  | 'login'
  | 'workspace'
  | 'address'
  | 'failure'
  | 'knownFailure'
  | 'callback'
  | 'probe';

/** Every callback checks a failure counter, so these are kept in memory: a Redis round trip would cost more than it protects. */
const inMemory: ReadonlySet<RateClass> = new Set(['failure', 'knownFailure', 'probe']);

/** A counter: a class of limits, and the client whose requests are counted. */
export interface Bucket {
  rateClass: RateClass;
  key: string;
}

/** The position of a request in its window: the first request has the position 1. */
interface Counted {
  position: number;
  msBeforeNext: number;
}

/** Requests that arrive while others are counted are counted together. A batch that waits longer than 20 ms for Redis does not delay the next. */
const batching = { maxBatchSize: 1_000, concurrency: 2, slowAfterMs: 20 };

/** Counts the requests of each bucket in a fixed window. */
export class Counters {
  readonly #inMemory: Record<RateClass, RateLimiterAbstract>;
  /** In Redis; for classes that Redis does not count, the same as in `#inMemory`. */
  readonly #inStore: Record<RateClass, RateLimiterAbstract>;
  readonly #queue = new BatchQueue(async (requests: Bucket[][]) => {
    const positions = await this.#countTogether(requests.flat());
    return requests.map((buckets) => positions.splice(0, buckets.length));
  }, batching);

  /** @param store null: counts in memory alone */
  constructor(
    limits: Record<RateClass, RateLimit>,
    private readonly store: LimitStore | null,
  ) {
    this.#inMemory = eachClass(limits, (options) => new RateLimiterMemory(options));
    this.#inStore = eachClass(limits, (options, rateClass) => {
      const memory = this.#inMemory[rateClass];
      if (store === null || inMemory.has(rateClass)) return memory;
      return new RateLimiterRedis({ ...options, storeClient: store.redis, rejectIfRedisNotReady: true, insuranceLimiter: memory });
    });
  }

  /** Counts a request in each of its buckets. @returns its position in each */
  count(buckets: Bucket[]): Promise<Counted[]> {
    return this.#queue.add(buckets);
  }

  /** Undoes the counting of one request. Does not wait for it. */
  giveBack({ rateClass, key }: Bucket): void {
    this.#counterOf(rateClass)
      .reward(key, 1)
      .catch(() => undefined);
  }

  /** The window of a bucket; null if it has counted nothing. */
  async windowOf({ rateClass, key }: Bucket): Promise<Pick<RateLimiterRes, 'remainingPoints' | 'msBeforeNext'> | null> {
    const window = await this.#counterOf(rateClass).get(key);
    return window && { remainingPoints: window.remainingPoints, msBeforeNext: this.#capped(window, rateClass) };
  }

  /** A request does not wait for a Redis that did not answer the last probe. */
  #counterOf(rateClass: RateClass): RateLimiterAbstract {
    return (this.store?.isUsable() === true ? this.#inStore : this.#inMemory)[rateClass];
  }

  /** Counters in memory compute it by the clock: after a step, a window would seem to last longer than it does, or to be over. */
  #capped({ msBeforeNext }: RateLimiterRes, rateClass: RateClass): number {
    return Math.max(0, Math.min(msBeforeNext, this.#inMemory[rateClass].duration * 1000));
  }

  /** Counts all requests of a bucket with one store access. Each request still gets its own position in the window. */
  async #countTogether(buckets: Bucket[]): Promise<Counted[]> {
    const requests = groupBy(buckets, ({ rateClass, key }) => `${rateClass} ${key}`);
    const counted = new Map<Bucket, Counted>();
    const count = async (alike: Bucket[]) => {
      const [{ rateClass, key }] = alike as [Bucket];
      const window = await this.#counterOf(rateClass)
        .consume(key, alike.length)
        .catch((refusal: unknown) => {
          if (refusal instanceof RateLimiterRes) return refusal; // the window has no room for some of them, or for all
          throw refusal;
        });
      const msBeforeNext = this.#capped(window, rateClass);
      for (const [index, bucket] of alike.entries())
        counted.set(bucket, { position: window.consumedPoints - alike.length + index + 1, msBeforeNext });
    };
    await Promise.all([...requests.values()].map(count));
    return buckets.map((bucket) => counted.get(bucket) as Counted);
  }
}

function eachClass(
  classes: Record<RateClass, RateLimit>,
  counterOf: (options: IRateLimiterOptions, rateClass: RateClass) => RateLimiterAbstract,
): Record<RateClass, RateLimiterAbstract> {
  return Object.fromEntries(
    (Object.entries(classes) as [RateClass, RateLimit][]).map(([rateClass, { points, seconds }]) => {
      // A window keeps the period with which it began, so each period has windows of its own.
      return [rateClass, counterOf({ keyPrefix: `tidings:limit:${rateClass}:${seconds}`, points, duration: seconds }, rateClass)];
    }),
  ) as Record<RateClass, RateLimiterAbstract>;
}
