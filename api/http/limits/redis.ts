/** The connection to Redis, for the counters of the rate limits. */
import { Redis } from 'ioredis';
import type { Logger } from '../../../models/process/logger.js';

/** The longest wait of a request for Redis. */
const redisTimeoutMs = 200;

/** Connects, and tries again until it succeeds. A command fails at once while Redis does not answer. */
export function connectRedis(url: string, logger: Logger): Redis {
  const redis = new Redis(url, {
    commandTimeout: redisTimeoutMs,
    connectTimeout: 1000,
    maxRetriesPerRequest: 1,
    enableOfflineQueue: false,
    autoResendUnfulfilledCommands: false, // the request of a command that timed out was counted in memory
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
