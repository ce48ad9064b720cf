/** The Node processes: API and worker as parts, and scripts that run once. */
import type { ChildProcess } from 'node:child_process';
import { resolve } from 'node:path';
import type { Command, Part } from './part.js';

const script = (path: string) => ['--enable-source-maps', resolve(import.meta.dirname, '../..', path)];

/**
 * A Node process that keeps running. It sends `{ ready: true }` over its message channel, and drains on SIGTERM or when the channel closes.
 * @param path the compiled entry point, relative to dist/
 * @param drainMs how long it may take to finish its open work
 */
export function nodePart(name: string, path: string, env: NodeJS.ProcessEnv, log: string, drainMs: number): Part {
  return {
    ...nodeCommand(name, path, env, log),
    stop: [{ signal: 'SIGTERM', waitMs: drainMs }],
    ipc: true,
    readyTimeoutMs: 60_000,
    ready: ({ child }, signal) => saysReady(child, signal),
  };
}

/** A Node script that ends by itself. */
export function nodeCommand(name: string, path: string, env: NodeJS.ProcessEnv, log: string): Command {
  return { name, command: process.execPath, args: script(path), env, log, stop: [{ signal: 'SIGTERM', waitMs: 3_000 }] };
}

function saysReady(child: ChildProcess, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const listen = (message: unknown) => {
      if (typeof message === 'object' && message !== null && 'ready' in message && message.ready === true) done();
    };
    const done = () => {
      child.off('message', listen);
      signal.removeEventListener('abort', done);
      resolve();
    };
    child.on('message', listen);
    signal.addEventListener('abort', done);
  });
}
