/** A Redis server that a test makes ill. */
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { Redis } from 'ioredis';
import { startRedisServer } from '../../../harness/stage/redis-server.js';
import { freePort } from '../network/free-port.js';

export interface RedisServer {
  url: string;
  start(): Promise<void>;
  signal(signal: NodeJS.Signals): void;
  /** With '1' byte the server refuses writes, and with '0' it has no limit. */
  limitMemory(bytes: string): Promise<void>;
  kill(): Promise<void>;
}

/** Starts a server of the test's own, which the test ends with `kill`. */
export async function startRedis(): Promise<RedisServer> {
  const port = await freePort();
  let server: ChildProcess;
  const redis: RedisServer = {
    url: `redis://127.0.0.1:${port}`,
    async start() {
      server = await startRedisServer(port);
    },
    signal: (signal) => void server.kill(signal),
    async limitMemory(bytes) {
      const client = new Redis(redis.url);
      await client.config('SET', 'maxmemory', bytes);
      client.disconnect();
    },
    async kill() {
      if (server.exitCode !== null || server.signalCode !== null) return;
      const gone = once(server, 'exit');
      server.kill('SIGKILL');
      await gone;
    },
  };
  await redis.start();
  return redis;
}
