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
  command(name: string, ...args: string[]): Promise<unknown>;
  kill(): Promise<void>;
}

/** Starts a server of the test's own, which the test ends with `kill`. @param options of the program */
export async function startRedis(...options: string[]): Promise<RedisServer> {
  const port = await freePort();
  let server: ChildProcess;
  const redis: RedisServer = {
    url: `redis://127.0.0.1:${port}`,
    async start() {
      server = await startRedisServer(port, options);
    },
    signal: (signal) => void server.kill(signal),
    limitMemory: async (bytes) => void (await redis.command('CONFIG', 'SET', 'maxmemory', bytes)),
    async command(name, ...args) {
      const client = new Redis(redis.url);
      try {
        return await client.call(name, ...args);
      } finally {
        client.disconnect();
      }
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
