/** A Redis on loopback for tests and measurements. It stores nothing on disk. */
import type { ChildProcess } from 'node:child_process';
import { join } from 'node:path';
import { launchUntilReady } from '../../local/processes/launch-until-ready.js';
import { type Part, untilItSays } from '../../local/processes/part.js';
import { type GuardedFolder, guardedFolder } from './guarded-folder.js';

let place: GuardedFolder | undefined;

/**
 * Starts it. The caller ends it; it also ends when this process is killed.
 * @throws Error where `redis-server` is not installed or ends at its start
 */
export async function startRedisServer(port: number): Promise<ChildProcess> {
  place ??= guardedFolder('redis');
  const { child } = await launchUntilReady(redisPart(port, place.path), place.record, new AbortController().signal);
  return child;
}

const redisPart = (port: number, folder: string): Part => ({
  name: 'Redis',
  command: 'redis-server',
  args: ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no'],
  env: { PATH: process.env.PATH },
  cwd: folder,
  log: join(folder, `redis-${port}.log`),
  stop: [{ signal: 'SIGTERM', waitMs: 2_500 }],
  ipc: false,
  readyTimeoutMs: 10_000,
  ready: (running, signal) => untilItSays(running, /Ready to accept connections/, signal),
});
