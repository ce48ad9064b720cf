/** Finds out whether Redis counts requests, for the API and the doctor. */
import type { Redis } from 'ioredis';
import { RateLimiterRedis } from 'rate-limiter-flexible';

/** One key in each quarter of the slots of a cluster. A node of a cluster serves a part of the slots only, and refuses some of these keys. */
const probeKeys = ['0', '1', '2', '3'];

/**
 * Creates a probe that uses the commands of the counters and keys with their prefix, because an access list may permit no others.
 * @returns the probe, which rejects if Redis does not answer or refuses one of the commands
 */
export function createRedisProbe(redis: Redis): () => Promise<void> {
  const counter = new RateLimiterRedis({ storeClient: redis, keyPrefix: 'tidings:limit:probe', points: 1, duration: 1 });
  return async () => void (await Promise.all(probeKeys.flatMap((key) => [counter.penalty(key), counter.get(key)])));
}
