/** A Redis server on loopback for tests and measurements. It stores nothing on disk. */
import type { ChildProcess } from 'node:child_process';
import { join } from 'node:path';
import { launchUntilReady } from '../../local/processes/launch-until-ready.js';
import { type Part, untilItSays } from '../../local/processes/part.js';
import { findRedis } from './find-redis.js';
import { type GuardedFolder, guardedFolder } from './guarded-folder.js';

let place: GuardedFolder | undefined;
let program: Promise<string> | undefined;

/**
 * Starts the server. The caller stops it; it also ends if this process is killed.
 * @param options of the program, which come after the others
 * @throws Error if there is no Redis, or if it ends during its start
 */
export async function startRedisServer(port: number, options: readonly string[] = []): Promise<ChildProcess> {
  program ??= findRedis();
  const part = redisPart(await program, port, options, (place ??= guardedFolder('redis')).path);
  const { child } = await launchUntilReady(part, place.record, new AbortController().signal);
  return child;
}

const redisPart = (command: string, port: number, options: readonly string[], folder: string): Part => ({
  name: 'Redis',
  command,
  args: ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no', ...options],
  env: { PATH: process.env.PATH },
  cwd: folder,
  log: join(folder, `redis-${port}.log`),
  stop: [{ signal: 'SIGTERM', waitMs: 2_500 }],
  ipc: false,
  readyTimeoutMs: 10_000,
  ready: (running, signal) => untilItSays(running, /Ready to accept connections/, signal),
});
