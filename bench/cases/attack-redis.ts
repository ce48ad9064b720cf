/** A separate Redis server that can be frozen, slowed down and killed. */
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { PortBook } from '../../local/processes/ports.js';
import { startRedisServer } from '../../harness/stage/redis-server.js';
import type { Cleanup } from '../../harness/stage/cleanup.js';

export interface SickRedis {
  url: string;
  freeze(): Promise<void>;
  /** Pauses the server repeatedly. */
  slowDown(): Promise<void>;
  kill(): Promise<void>;
  /** Ends the fault, and restarts the server if it was killed. */
  heal(): Promise<void>;
}

/** The durations of pause and activity in turn. A response takes 0 to 150 ms. */
const pulse = { stillMs: 150, runMs: 30 };
/** By then every process has reconnected. */
const settleMs = 3_000;

/** Starts the server. Needs `redis-server`. */
export async function startSickRedis(folder: string, cleanup: Cleanup): Promise<SickRedis> {
  const port = await new PortBook(folder).choose('redis');
  let server = await startRedisServer(port);
  let pulsing: AbortController | undefined;
  cleanup.add(() => {
    pulsing?.abort();
    server.kill('SIGKILL'); // it stores nothing and may be frozen
  });
  return {
    url: `redis://127.0.0.1:${port}`,
    freeze: async () => void server.kill('SIGSTOP'),
    slowDown: async () => {
      pulsing = new AbortController();
      void pulsate(server, pulsing.signal);
    },
    kill: async () => {
      const gone = once(server, 'exit');
      server.kill('SIGKILL');
      await gone;
    },
    heal: async () => {
      pulsing?.abort();
      server.kill('SIGCONT');
      if (server.exitCode !== null || server.signalCode !== null) server = await startRedisServer(port);
      await sleep(settleMs);
    },
  };
}

async function pulsate(server: ChildProcess, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    server.kill('SIGSTOP');
    await sleep(pulse.stillMs);
    server.kill('SIGCONT');
    await sleep(pulse.runMs);
  }
}
