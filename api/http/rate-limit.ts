/**
 * Rate limits: fixed windows, counted exactly, shared in Redis when there is one. While Redis does not answer, this
 * process counts for itself: a limiter must never be the reason for an outage.
 */
import { isIPv6 } from 'node:net';
import { Redis } from 'ioredis';
import ipaddr from 'ipaddr.js';
import { type RateLimiterAbstract, RateLimiterMemory, RateLimiterRedis, RateLimiterRes } from 'rate-limiter-flexible';
import type { Config } from '../../models/settings/config.js';
import type { RateLimit } from '../../models/settings/limit-settings.js';
import { rateLimited } from '../../models/errors.js';
import { Gather } from '../../models/flow/gather.js';
import { noteRateLimited } from '../../models/metrics/observe.js';
import type { Logger } from '../../models/process/logger.js';
import { groupBy } from '../../models/rules/messages/group-by.js';

export type RateClass = 'api' | 'jwt' | 'bulk' | 'auth' | 'site' | 'login' | 'workspace' | 'address' | 'failure' | 'callback' | 'probe';

/** Carriers post every report from few addresses; their requests are signed. */
const callbackLimit: RateLimit = { points: 100_000, seconds: 60 };
/** Load balancers probe from few addresses; a probe that is refused takes a sound process out of service. */
const probeLimit: RateLimit = { points: 100_000, seconds: 60 };
/** A site may use up the limits of so many of its addresses. */
const addressesOfSite = 4;
/** Longest that a request waits for Redis. */
const redisTimeoutMs = 200;
/** Requests that come while others are counted are counted together; those who wait for Redis for so long are passed by the next. */
const together = { most: 1_000, lanes: 2, lateMs: 20 };

type Counters = Record<RateClass, RateLimiterAbstract>;

/** What is counted: a class, and within it whose requests. */
export interface Bucket {
  rateClass: RateClass;
  key: string;
}

/** What the three headers are written to: a response. */
export interface Headers {
  setHeader(name: string, value: number): unknown;
  getHeader?(name: string): unknown;
}

export interface Limiter {
  /**
   * Counts the request, writes the three headers, and throws 429 when the window is full. The headers are of the limit that is nearest.
   * @param beside counted too, in the same look at the store; it counts no request that the first refuses
   */
  consume(bucket: Bucket, res: Headers, beside?: Bucket): Promise<void>;
  /** Throws as `consume` does, and counts nothing. */
  assertRoom(bucket: Bucket, res: Headers): Promise<void>;
  /** Takes back what was counted once, in its own time. */
  giveBack(bucket: Bucket): void;
  /** Writes the three headers without counting: for answers that belong to no endpoint. */
  describe(bucket: Bucket, res: Headers): Promise<void>;
  /** Whether the shared store answers; true when there is none. */
  isHealthy(): Promise<boolean>;
  close(): void;
}

/** The classes as data, and one counter for each. */
export function createLimiter({ rateLimits, redisUrl }: Pick<Config, 'rateLimits' | 'redisUrl'>, logger: Logger): Limiter {
  const redis = redisUrl === undefined ? null : connectRedis(redisUrl, logger);
  const classes: Record<RateClass, RateLimit> = {
    ...rateLimits,
    site: { ...rateLimits.auth, points: rateLimits.auth.points * addressesOfSite },
    address: rateLimits.api,
    failure: rateLimits.api,
    callback: callbackLimit,
    probe: probeLimit,
  };
  const counters = countersOf(classes, redis);
  const counted = new Gather(async (requests: Bucket[][]) => {
    const places = await countTogether(counters, requests.flat());
    return requests.map((buckets) => places.splice(0, buckets.length));
  }, together);
  const giveBack = ({ rateClass, key }: Bucket) => void counters[rateClass].reward(key, 1).catch(() => undefined);

  return {
    async consume(bucket, res, beside) {
      const buckets = beside === undefined ? [bucket] : [bucket, beside];
      const windows = (await counted.add(buckets)).map(({ place, msBeforeNext }, index) => {
        const { points } = classes[(buckets[index] as Bucket).rateClass];
        return { points, left: points - place, msBeforeNext };
      });
      for (const window of windows) writeHeaders(res, window);
      const [first, second] = windows;
      if (beside !== undefined && first !== undefined && first.left < 0 && (second?.left ?? 0) >= 0) giveBack(beside);
      const full = windows.find(({ left }) => left < 0);
      if (full === undefined) return;
      noteRateLimited((buckets[windows.indexOf(full)] as Bucket).rateClass);
      throw rateLimited(secondsOf(full));
    },
    async assertRoom({ rateClass, key }, res) {
      const window = await counters[rateClass].get(key);
      if (window === null || window.remainingPoints > 0) return;
      const full = { points: classes[rateClass].points, left: 0, msBeforeNext: window.msBeforeNext };
      writeHeaders(res, full);
      throw rateLimited(secondsOf(full));
    },
    giveBack,
    async describe({ rateClass, key }, res) {
      const { points, seconds } = classes[rateClass];
      const window = await counters[rateClass].get(key);
      writeHeaders(res, { points, left: window?.remainingPoints ?? points, msBeforeNext: window?.msBeforeNext ?? seconds * 1000 });
    },
    isHealthy: async () => redis === null || (redis.status === 'ready' && (await redis.ping().catch(() => '')) === 'PONG'),
    close: () => redis?.disconnect(),
  };
}

function countersOf(classes: Record<RateClass, RateLimit>, redis: Redis | null): Counters {
  return Object.fromEntries(
    Object.entries(classes).map(([rateClass, { points, seconds }]) => {
      const options = { keyPrefix: `tidings:limit:${rateClass}`, points, duration: seconds };
      const memory = new RateLimiterMemory(options);
      // Failures are looked at by requests that have none, and are worth no look at the store. Probes speak of this process alone.
      if (redis === null || rateClass === 'failure' || rateClass === 'probe') return [rateClass, memory];
      return [rateClass, new RateLimiterRedis({ ...options, storeClient: redis, rejectIfRedisNotReady: true, insuranceLimiter: memory })];
    }),
  ) as Counters;
}

/** Where a request stands in its window: the first is at 1. */
interface Counted {
  place: number;
  msBeforeNext: number;
}

/** One look at the store for all requests of a bucket, whatever else counts in it at the same time: each has its own place. */
async function countTogether(counters: Counters, buckets: Bucket[]): Promise<Counted[]> {
  const requests = groupBy(buckets, ({ rateClass, key }) => `${rateClass} ${key}`);
  const counted = new Map<Bucket, Counted>();
  const count = async (alike: Bucket[]) => {
    const [{ rateClass, key }] = alike as [Bucket];
    const { consumedPoints, msBeforeNext } = await counters[rateClass].consume(key, alike.length).catch((refusal: unknown) => {
      if (refusal instanceof RateLimiterRes) return refusal; // no room for all of them, or for none
      throw refusal;
    });
    for (const [index, bucket] of alike.entries()) counted.set(bucket, { place: consumedPoints - alike.length + index + 1, msBeforeNext });
  };
  await Promise.all([...requests.values()].map(count));
  return buckets.map((bucket) => counted.get(bucket) as Counted);
}

/** Whose requests are counted where there is no credential: the address, of IPv6 the /64 that one customer has. */
export function addressKey(ip: string | undefined): string {
  if (ip === undefined || !isIPv6(ip)) return ip ?? 'unknown';
  const address = ipaddr.IPv6.parse(ip);
  if (address.isIPv4MappedAddress()) return address.toIPv4Address().toString();
  return `${address.parts
    .slice(0, 4)
    .map((part) => part.toString(16))
    .join(':')}::/64`;
}

interface Window {
  points: number;
  /** Negative of a request that has no place in it. */
  left: number;
  msBeforeNext: number;
}

const secondsOf = ({ msBeforeNext }: Window) => Math.max(1, Math.ceil(msBeforeNext / 1000));

/** Unless they speak of a limit that is nearer. */
function writeHeaders(res: Headers, { points, left, msBeforeNext }: Window): void {
  const remaining = Math.max(0, left);
  const known = res.getHeader?.('X-RateLimit-Remaining');
  if (typeof known === 'number' && known <= remaining && left >= 0) return;
  res.setHeader('X-RateLimit-Limit', points);
  res.setHeader('X-RateLimit-Remaining', remaining);
  res.setHeader('X-RateLimit-Reset', Math.ceil((Date.now() + msBeforeNext) / 1000));
}

function connectRedis(url: string, logger: Logger): Redis {
  const redis = new Redis(url, {
    commandTimeout: redisTimeoutMs,
    connectTimeout: 1000,
    maxRetriesPerRequest: 1,
    enableOfflineQueue: false,
    retryStrategy: (attempt) => Math.min(attempt * 100, 1000),
  });
  let isDown = false;
  redis.on('ready', () => {
    isDown = false;
    logger.info('redis is ready');
  });
  redis.on('error', (err: Error) => {
    if (!isDown) logger.warn({ err }, 'redis is not available, rate limits are counted in memory');
    isDown = true;
  });
  // A server that accepts connections and says nothing is dropped, so that requests stop waiting for it one by one.
  const heartbeat = setInterval(() => {
    if (redis.status === 'ready') redis.ping().catch(() => redis.disconnect(true));
  }, 1000).unref();
  redis.once('end', () => clearInterval(heartbeat));
  return redis;
}
