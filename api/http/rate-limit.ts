/**
 * Rate limits in fixed windows, counted exactly. With Redis all processes share the counters. While Redis does not answer, each process
 * counts in its own memory, so that a Redis outage is not an outage of the API.
 */
import { isIPv6 } from 'node:net';
import { Redis } from 'ioredis';
import ipaddr from 'ipaddr.js';
import { type RateLimiterAbstract, RateLimiterMemory, RateLimiterRedis, RateLimiterRes } from 'rate-limiter-flexible';
import type { Config } from '../../models/settings/config.js';
import type { RateLimit } from '../../models/settings/limit-settings.js';
import { rateLimited } from '../../models/errors.js';
import { BatchQueue } from '../../models/flow/batch-queue.js';
import { apiMetrics } from '../../models/metrics/catalogue.js';
import type { Logger } from '../../models/process/logger.js';
import { groupBy } from '../../models/rules/messages/group-by.js';

export type RateClass = 'api' | 'jwt' | 'bulk' | 'auth' | 'site' | 'login' | 'workspace' | 'address' | 'failure' | 'callback' | 'probe';

/** Carriers and load balancers send from a few addresses. A refused probe would take a healthy process out of service. */
const machineLimit: RateLimit = { points: 100_000, seconds: 60 };
/** The limit of an IPv6 /48 is that of one address times this. */
const siteFactor = 4;
/** The longest wait of a request for Redis. */
const redisTimeoutMs = 200;
/** Requests that arrive while others are being counted are counted together. A batch that waits longer than 20 ms for Redis does not delay the next. */
const batching = { maxBatchSize: 1_000, concurrency: 2, slowAfterMs: 20 };

type Counters = Record<RateClass, RateLimiterAbstract>;

/** A counter: a class of limits, and the client whose requests are counted. */
export interface Bucket {
  rateClass: RateClass;
  key: string;
}

/** Takes the three headers. A response is one. */
export interface Headers {
  setHeader(name: string, value: number): unknown;
  getHeader?(name: string): unknown;
}

export interface Limiter {
  /**
   * Counts the request and writes the three headers. The headers describe the limit with the fewest requests left.
   * @param second a second bucket to count, in the same store access; a request that the first bucket refuses is not counted in it
   * @throws AppError 429 when a window is full
   */
  consume(bucket: Bucket, res: Headers, second?: Bucket): Promise<void>;
  /** @throws AppError 429 when the window is full; counts nothing */
  assertRoom(bucket: Bucket, res: Headers): Promise<void>;
  /** Undoes the counting of one request. Does not wait for it. */
  giveBack(bucket: Bucket): void;
  /** Writes the three headers without counting, for responses that belong to no endpoint. */
  describe(bucket: Bucket, res: Headers): Promise<void>;
  /** Whether Redis answers; true without Redis. */
  isHealthy(): Promise<boolean>;
  close(): void;
}

/** Creates a limiter with one counter per class. */
export function createLimiter({ rateLimits, redisUrl }: Pick<Config, 'rateLimits' | 'redisUrl'>, logger: Logger): Limiter {
  const redis = redisUrl === undefined ? null : connectRedis(redisUrl, logger);
  const classes: Record<RateClass, RateLimit> = {
    ...rateLimits,
    site: { ...rateLimits.auth, points: rateLimits.auth.points * siteFactor },
    address: rateLimits.api,
    failure: rateLimits.api,
    callback: machineLimit,
    probe: machineLimit,
  };
  const counters = countersOf(classes, redis);
  const queue = new BatchQueue(async (requests: Bucket[][]) => {
    const positions = await countTogether(counters, requests.flat());
    return requests.map((buckets) => positions.splice(0, buckets.length));
  }, batching);
  const giveBack = ({ rateClass, key }: Bucket) => void counters[rateClass].reward(key, 1).catch(() => undefined);

  return {
    async consume(bucket, res, secondBucket) {
      const buckets = secondBucket === undefined ? [bucket] : [bucket, secondBucket];
      const windows = (await queue.add(buckets)).map(({ position, msBeforeNext }, index) => {
        const { points } = classes[(buckets[index] as Bucket).rateClass];
        return { points, left: points - position, msBeforeNext };
      });
      for (const window of windows) writeHeaders(res, window);
      const [first, second] = windows;
      if (secondBucket !== undefined && first !== undefined && first.left < 0 && (second?.left ?? 0) >= 0) giveBack(secondBucket);
      const full = windows.find(({ left }) => left < 0);
      if (full === undefined) return;
      apiMetrics.rateLimited.inc({ limit: (buckets[windows.indexOf(full)] as Bucket).rateClass });
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
      // Every callback checks the failure counter, so it is kept in memory: a Redis round trip would cost more than it protects.
      if (redis === null || rateClass === 'failure' || rateClass === 'probe') return [rateClass, memory];
      return [rateClass, new RateLimiterRedis({ ...options, storeClient: redis, rejectIfRedisNotReady: true, insuranceLimiter: memory })];
    }),
  ) as Counters;
}

/** The position of a request in its window: the first request has the position 1. */
interface Counted {
  position: number;
  msBeforeNext: number;
}

/** Counts all requests of a bucket with one store access. Each request still gets its own position in the window. */
async function countTogether(counters: Counters, buckets: Bucket[]): Promise<Counted[]> {
  const requests = groupBy(buckets, ({ rateClass, key }) => `${rateClass} ${key}`);
  const counted = new Map<Bucket, Counted>();
  const count = async (alike: Bucket[]) => {
    const [{ rateClass, key }] = alike as [Bucket];
    const { consumedPoints, msBeforeNext } = await counters[rateClass].consume(key, alike.length).catch((refusal: unknown) => {
      if (refusal instanceof RateLimiterRes) return refusal; // the window has no room for some of them, or for all
      throw refusal;
    });
    for (const [index, bucket] of alike.entries())
      counted.set(bucket, { position: consumedPoints - alike.length + index + 1, msBeforeNext });
  };
  await Promise.all([...requests.values()].map(count));
  return buckets.map((bucket) => counted.get(bucket) as Counted);
}

/** The client address as the limiter counts it: an IPv4 address, or the /64 network of an IPv6 address, because one customer owns a whole /64. */
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
  /** Negative when the window was full. */
  left: number;
  msBeforeNext: number;
}

const secondsOf = ({ msBeforeNext }: Window) => Math.max(1, Math.ceil(msBeforeNext / 1000));

/** Writes the headers, unless they already describe a limit with fewer requests left. */
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
    logger.info('Redis is connected');
  });
  redis.on('error', (err: Error) => {
    if (!isDown) logger.warn({ err }, 'Redis is not available; rate limits are counted in memory');
    isDown = true;
  });
  // A Redis server that accepts connections but does not answer is disconnected, so that requests stop waiting for it.
  const heartbeat = setInterval(() => {
    if (redis.status === 'ready') redis.ping().catch(() => redis.disconnect(true));
  }, 1000).unref();
  redis.once('end', () => clearInterval(heartbeat));
  return redis;
}
