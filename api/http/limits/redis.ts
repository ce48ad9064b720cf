/** The connection to Redis, for the counters of the rate limits. */
import type { Redis } from 'ioredis';
import type { Logger } from '../../../models/process/logger.js';
import { openRedis } from '../../../models/network/open-redis.js';
import { createRedisProbe } from '../../../models/network/redis-probe.js';

/** The longest wait of a request for Redis. */
const redisTimeoutMs = 200;

export interface LimitStore {
  redis: Redis;
  /** Whether Redis has answered the last probe, so that a request may wait for it. */
  isUsable(): boolean;
  /** Whether the counters work. A server that is full, a replica after a failover, or a node of a cluster answers `PING` and refuses writes. */
  acceptsWrites(): Promise<boolean>;
}

/** Connects, and tries again until it succeeds. A command fails at once while Redis does not answer. */
export function connectRedis(url: string, logger: Logger): LimitStore {
  const redis = openRedis(url, {
    commandTimeout: redisTimeoutMs,
    connectTimeout: 1000,
    maxRetriesPerRequest: 1,
    enableOfflineQueue: false,
    autoResendUnfulfilledCommands: false, // the request of a command that timed out was counted in memory
    retryStrategy: (attempt) => Math.min(attempt * 100, 1000),
  });
  const probe = createRedisProbe(redis);
  const state = new StoreState(logger);
  const check = () =>
    probe().then(
      () => state.change('usable'),
      (error: Error) => state.change(error.name === 'ReplyError' ? 'refuses' : 'unavailable', error),
    );
  redis.on('ready', () => void check());
  redis.on('error', (error: Error) => state.change('unavailable', error));
  // Connects again if Redis does not answer, so that requests stop waiting for it, or refuses writes: after a failover its name may lead to
  // another server, while the connection to the former primary lives on.
  const reconnect = () => void (state.isUsable || redis.disconnect(true));
  const heartbeat = setInterval(() => {
    if (redis.status === 'ready') void check().then(reconnect);
  }, 1000).unref();
  redis.once('end', () => clearInterval(heartbeat));
  const isUsable = () => redis.status === 'ready' && state.isUsable;
  const answers = () =>
    probe().then(
      () => true,
      () => false,
    );
  return { redis, isUsable, acceptsWrites: async () => isUsable() && answers() };
}

type State = 'usable' | 'unavailable' | 'refuses';

/** What Redis did last. A log line is written only when it changes. */
class StoreState {
  #state: State | undefined;

  constructor(private readonly logger: Logger) {}

  get isUsable(): boolean {
    return this.#state === 'usable';
  }

  change(state: State, err?: Error): void {
    const last = this.#state;
    this.#state = state;
    if (state === last) return;
    if (state === 'usable') this.logger.info(last === 'refuses' ? 'Redis accepts writes again' : 'Redis is connected');
    else
      this.logger.warn({ err }, `Redis ${state === 'refuses' ? 'refuses writes' : 'is not available'}; rate limits are counted in memory`);
  }
}
