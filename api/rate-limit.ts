/**
 * Rate limits: fixed windows, counted exactly, shared in Redis when there is one. While Redis does not answer, this
 * process counts for itself: a limiter must never be the reason for an outage.
 */
import { isIPv6 } from 'node:net';
import { Redis } from 'ioredis';
import ipaddr from 'ipaddr.js';
import { type RateLimiterAbstract, RateLimiterMemory, RateLimiterRedis, RateLimiterRes } from 'rate-limiter-flexible';
import type { Config, RateLimit } from '../models/config.js';
import { rateLimited } from '../models/errors.js';
import { Gather } from '../models/gather.js';
import type { Logger } from '../models/logger.js';
import { groupBy } from '../models/rules/group-by.js';

export type RateClass = 'api' | 'jwt' | 'bulk' | 'auth' | 'address' | 'callback';

/** Carriers post every report from few addresses; their requests are signed. */
const callbackLimit: RateLimit = { points: 100_000, seconds: 60 };
/** Longest that a request waits for Redis. */
const redisTimeoutMs = 200;
/** Requests that come while others are counted are counted together; those who wait for Redis for so long are passed by the next. */
const together = { most: 1_000, lanes: 2, lateMs: 20 };

/** What is counted: a class, and within it whose requests. */
export interface Bucket {
  rateClass: RateClass;
  key: string;
}

/** What the three headers are written to: a response. */
export interface Headers {
  setHeader(name: string, value: number): unknown;
}

export interface Limiter {
  /** Counts the request, writes the three headers, and throws 429 when the window is full. */
  consume(bucket: Bucket, res: Headers): Promise<void>;
  /** Writes the three headers without counting: for answers that belong to no endpoint. */
  describe(bucket: Bucket, res: Headers): Promise<void>;
  /** Whether the shared store answers; true when there is none. */
  isHealthy(): Promise<boolean>;
  close(): void;
}

/** The classes as data, and one counter for each. */
export function createLimiter({ rateLimits, redisUrl }: Pick<Config, 'rateLimits' | 'redisUrl'>, logger: Logger): Limiter {
  const redis = redisUrl === undefined ? null : connectRedis(redisUrl, logger);
  const classes: Record<RateClass, RateLimit> = { ...rateLimits, address: rateLimits.api, callback: callbackLimit };
  const counters = Object.fromEntries(
    Object.entries(classes).map(([rateClass, { points, seconds }]) => {
      const options = { keyPrefix: `tidings:limit:${rateClass}`, points, duration: seconds };
      const memory = new RateLimiterMemory(options);
      if (redis === null) return [rateClass, memory];
      return [rateClass, new RateLimiterRedis({ ...options, storeClient: redis, rejectIfRedisNotReady: true, insuranceLimiter: memory })];
    }),
  ) as Record<RateClass, RateLimiterAbstract>;

  const counted = new Gather((buckets: Bucket[]) => countTogether(counters, buckets), together);

  return {
    async consume(bucket, res) {
      const { points } = classes[bucket.rateClass];
      const { place, msBeforeNext } = await counted.add(bucket);
      writeHeaders(res, points, points - place, msBeforeNext);
      if (place > points) throw rateLimited(Math.max(1, Math.ceil(msBeforeNext / 1000)));
    },
    async describe({ rateClass, key }, res) {
      const { points, seconds } = classes[rateClass];
      const window = await counters[rateClass].get(key);
      writeHeaders(res, points, window === null ? points : window.remainingPoints, window === null ? seconds * 1000 : window.msBeforeNext);
    },
    isHealthy: async () => redis === null || (redis.status === 'ready' && (await redis.ping().catch(() => '')) === 'PONG'),
    close: () => redis?.disconnect(),
  };
}

/** Where a request stands in its window: the first is at 1. */
interface Counted {
  place: number;
  msBeforeNext: number;
}

/** One look at the store for all requests of a bucket, whatever else counts in it at the same time: each has its own place. */
async function countTogether(counters: Record<RateClass, RateLimiterAbstract>, buckets: Bucket[]): Promise<Counted[]> {
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

/** The address of a client as people write it: IPv4 also where the socket speaks IPv6. */
export const plainAddress = (ip: string | undefined): string | undefined =>
  ip?.toLowerCase().startsWith('::ffff:') === true && ip.includes('.') ? ip.slice('::ffff:'.length) : ip;

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

function writeHeaders(res: Headers, limit: number, remaining: number, msBeforeNext: number): void {
  res.setHeader('X-RateLimit-Limit', limit);
  res.setHeader('X-RateLimit-Remaining', Math.max(0, remaining));
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
