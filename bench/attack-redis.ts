/** A Redis of its own that can be frozen, slowed down and killed. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { PortBook } from '../local/ports.js';
import { type Cleanup, stopChild } from './cleanup.js';

export interface SickRedis {
  url: string;
  freeze(): Promise<void>;
  /** Answers only every now and then. */
  slowDown(): Promise<void>;
  kill(): Promise<void>;
  /** Well again, started anew if it was killed. */
  heal(): Promise<void>;
}

/** It stands still for so long and runs for so long, again and again: an answer takes 0 to 150 ms. */
const pulse = { stillMs: 150, runMs: 30 };
/** By then every process has noticed that it is back. */
const settleMs = 3_000;

/** Starts it; needs `redis-server`. */
export async function startSickRedis(folder: string, cleanup: Cleanup): Promise<SickRedis> {
  const port = await new PortBook(folder).choose('redis');
  let server = await start(port);
  let pulsing: AbortController | undefined;
  cleanup.add(() => {
    pulsing?.abort();
    server.kill('SIGCONT');
    return stopChild(server);
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
      if (server.exitCode !== null || server.signalCode !== null) server = await start(port);
      await sleep(settleMs);
    },
  };
}

async function start(port: number): Promise<ChildProcess> {
  const server = spawn('redis-server', ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  for await (const chunk of server.stdout) if (String(chunk).includes('Ready to accept connections')) break;
  return server;
}

async function pulsate(server: ChildProcess, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    server.kill('SIGSTOP');
    await sleep(pulse.stillMs);
    server.kill('SIGCONT');
    await sleep(pulse.runMs);
  }
}
