/** The Node processes: API and worker as parts, and scripts that run once. */
import type { ChildProcess } from 'node:child_process';
import { resolve } from 'node:path';
import type { Command, Part } from './part.js';

export interface NodeScript {
  name: string;
  /** The compiled entry point, relative to dist/. */
  path: string;
  env: NodeJS.ProcessEnv;
  /** The file of its output. */
  log: string;
}

/**
 * A Node process that keeps running. It sends `{ ready: true }` over its message channel, and drains on SIGTERM or when the channel closes.
 * @param drainMs how long it may take to finish its open work
 */
export function nodePart(script: NodeScript, drainMs: number): Part {
  return {
    ...nodeCommand(script),
    stop: [{ signal: 'SIGTERM', waitMs: drainMs }],
    ipc: true,
    readyTimeoutMs: 60_000,
    ready: ({ child }, signal) => untilItSaysReady(child, signal),
  };
}

/** A Node script that ends by itself. */
export function nodeCommand({ name, path, env, log }: NodeScript): Command {
  const args = ['--enable-source-maps', resolve(import.meta.dirname, '../..', path)];
  return { name, command: process.execPath, args, env, log, stop: [{ signal: 'SIGTERM', waitMs: 3_000 }] };
}

function untilItSaysReady(child: ChildProcess, signal: AbortSignal): Promise<void> {
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
