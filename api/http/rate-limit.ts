/**
 * Rate limits in fixed windows, counted exactly. With Redis all processes share the counters, but for failures and probes (`limits/counters.ts`).
 * While Redis does not answer or refuses writes, each process counts in its own memory, so that a Redis outage is not an outage of the API.
 */
import type { Config } from '../../models/settings/config.js';
import type { RateLimit } from '../../models/settings/limit-settings.js';
import { rateLimited } from '../../models/errors.js';
import { apiMetrics } from '../../models/metrics/catalogue.js';
import type { Logger } from '../../models/process/logger.js';
import { addressKey } from './client-address.js';
import { type Bucket, Counters, type RateClass } from './limits/counters.js';
import { connectRedis } from './limits/redis.js';

/** Carriers and load balancers send from a few addresses. A refused probe would take a healthy process out of service. */
const machineLimit: RateLimit = { points: 100_000, seconds: 60 };
/** How many times as many callbacks may fail from an address that the carrier uses too. */
const knownFactor = 100;
/** The limit of an IPv6 /48 is that of one address times this. */
const siteFactor = 4;

/** Receives the three rate-limit headers; an HTTP response does. */
export interface HeaderSink {
  setHeader(name: string, value: number): unknown;
  getHeader?(name: string): unknown;
}

/** Discards rate-limit headers, for a limit that the client shares with others. */
export const noHeaders = { setHeader: () => undefined };

export interface Limiter {
  /**
   * Counts the request and writes the three headers. The headers describe the limit with the fewest requests left.
   * @param second a second bucket to count, in the same store access; a request that the first bucket refuses is not counted in it
   * @throws AppError 429 when a window is full
   */
  consume(bucket: Bucket, res: HeaderSink, second?: Bucket): Promise<void>;
  /** @throws AppError 429 when the window is full; counts nothing */
  assertRoom(bucket: Bucket, res: HeaderSink): Promise<void>;
  /** Undoes the counting of one request. Does not wait for it. */
  giveBack(bucket: Bucket): void;
  /** Writes the three headers of a client address without counting, for responses that belong to no endpoint. */
  describeAddress(ip: string | undefined, res: HeaderSink): Promise<void>;
  /** Whether Redis counts; true without Redis. */
  isHealthy(): Promise<boolean>;
  close(): void;
}

/** Creates a limiter with one counter per class. */
export function createLimiter({ rateLimits, redisUrl }: Pick<Config, 'rateLimits' | 'redisUrl'>, logger: Logger): Limiter {
  const store = redisUrl === undefined ? null : connectRedis(redisUrl, logger);
  const classes = classesOf(rateLimits);
  const counters = new Counters(classes, store);

  return {
    async consume(bucket, res, secondBucket) {
      const buckets = secondBucket === undefined ? [bucket] : [bucket, secondBucket];
      const windows = (await counters.count(buckets)).map(({ position, msBeforeNext }, index) => {
        const { points } = classes[(buckets[index] as Bucket).rateClass];
        return { points, left: points - position, msBeforeNext };
      });
      for (const window of windows) writeHeaders(res, window);
      const full = windows.find(({ left }) => left < 0);
      if (full === undefined) return;
      const secondHasRoom = (windows[1]?.left ?? -1) >= 0; // so the first one is full
      if (secondBucket !== undefined && secondHasRoom) counters.giveBack(secondBucket);
      apiMetrics.rateLimited.inc({ limit: (buckets[windows.indexOf(full)] as Bucket).rateClass });
      throw rateLimited(secondsOf(full));
    },
    async assertRoom(bucket, res) {
      const window = await counters.windowOf(bucket);
      if (window === null || window.remainingPoints > 0) return;
      const full = { points: classes[bucket.rateClass].points, left: 0, msBeforeNext: window.msBeforeNext };
      writeHeaders(res, full);
      apiMetrics.rateLimited.inc({ limit: bucket.rateClass });
      throw rateLimited(secondsOf(full));
    },
    giveBack: (bucket) => counters.giveBack(bucket),
    async describeAddress(ip, res) {
      const { points, seconds } = classes.address;
      const window = await counters.windowOf({ rateClass: 'address', key: addressKey(ip) });
      writeHeaders(res, { points, left: window?.remainingPoints ?? points, msBeforeNext: window?.msBeforeNext ?? seconds * 1000 });
    },
    isHealthy: async () => store === null || store.acceptsWrites(),
    close: () => store?.redis.disconnect(),
  };
}

const classesOf = (rateLimits: Config['rateLimits']): Record<RateClass, RateLimit> => ({
  ...rateLimits,
  site: { ...rateLimits.auth, points: rateLimits.auth.points * siteFactor },
  address: rateLimits.api,
  failure: rateLimits.api,
  knownFailure: { ...rateLimits.api, points: rateLimits.api.points * knownFactor },
  callback: machineLimit,
  probe: machineLimit,
});

interface Window {
  points: number;
  /** Negative when the window was full. */
  left: number;
  msBeforeNext: number;
}

const secondsOf = ({ msBeforeNext }: Window) => Math.max(1, Math.ceil(msBeforeNext / 1000));

/** Writes the headers, unless they already describe a limit with fewer requests left. */
function writeHeaders(res: HeaderSink, { points, left, msBeforeNext }: Window): void {
  const remaining = Math.max(0, left);
  const known = res.getHeader?.('X-RateLimit-Remaining');
  if (typeof known === 'number' && known <= remaining && left >= 0) return;
  res.setHeader('X-RateLimit-Limit', points);
  res.setHeader('X-RateLimit-Remaining', remaining);
  res.setHeader('X-RateLimit-Reset', Math.ceil((Date.now() + msBeforeNext) / 1000));
}

/**
 * Writes the headers of a 429 that is not caused by the limit in its headers, but by a lock after wrong passwords, or a limit that clients
 * share. Otherwise a client that reads only the headers would see room, and come back at once. If no request of the window in the headers is
 * left either, they have the later of both ends.
 */
export function describeWait(res: HeaderSink, seconds = 0): void {
  const end = Math.ceil(Date.now() / 1000) + seconds;
  const known = res.getHeader?.('X-RateLimit-Remaining') === 0 ? res.getHeader('X-RateLimit-Reset') : undefined;
  // The wait for a full window was rounded up too, so that the same end can seem a second later.
  if (typeof known === 'number' && known >= end - 1) return;
  res.setHeader('X-RateLimit-Remaining', 0);
  res.setHeader('X-RateLimit-Reset', end);
}
