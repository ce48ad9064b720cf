/** The connection to Redis, for the counters of the rate limits. */
import type { Redis } from 'ioredis';
import type { Logger } from '../../../models/process/logger.js';
import { openRedis } from '../../../models/network/open-redis.js';
import { createRedisProbe } from '../../../models/network/redis-probe.js';

/** The longest wait of a request for Redis. */
const redisTimeoutMs = 200;

/** Connects, and tries again until it succeeds. A command fails at once while Redis does not answer. */
export function connectRedis(url: string, logger: Logger): Redis {
  const redis = openRedis(url, {
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
  let refuses = false;
  const noteAnswer = (answer: unknown) => {
    if (answer instanceof Error && !isRefusal(answer)) return redis.disconnect(true);
    if (isRefusal(answer) && !refuses) logger.warn({ err: answer }, 'Redis refuses writes; rate limits are counted in memory');
    if (!isRefusal(answer) && refuses) logger.info('Redis accepts writes again');
    refuses = isRefusal(answer);
  };
  // A Redis server that accepts connections but does not answer is disconnected, so that requests stop waiting for it.
  const heartbeat = setInterval(() => {
    if (redis.status === 'ready') writeProbe(redis).then(noteAnswer, noteAnswer);
  }, 1000).unref();
  redis.once('end', () => clearInterval(heartbeat));
  return redis;
}

/** Whether the counters work. A server that is full, a replica after a failover, or a node of a cluster answers `PING` and refuses writes. */
export const acceptsWrites = async (redis: Redis): Promise<boolean> =>
  redis.status === 'ready' &&
  (await writeProbe(redis).then(
    () => true,
    () => false,
  ));

const writeProbe = (redis: Redis) => createRedisProbe(redis)();

/** The server has answered with an error. */
const isRefusal = (answer: unknown): answer is Error => answer instanceof Error && answer.name === 'ReplyError';
