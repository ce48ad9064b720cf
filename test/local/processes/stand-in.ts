/** Stand-ins for what the launcher works with: folders, consoles, and processes that behave or misbehave as ordered. */
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { guardedFolder } from '../../../harness/stage/guarded-folder.js';
import { Output } from '../../../local/output/output.js';
import type { Part, Running } from '../../../local/processes/part.js';

/** A folder for one test. Servers that run in it end with the test run, also when the run is killed. */
export function temporaryFolder(): { path: string; remove(): void } {
  return guardedFolder('local');
}

/** An output that remembers its lines. */
export function recordingOutput(): { output: Output; lines: string[] } {
  const lines: string[] = [];
  const stream = { isTTY: false, on: () => undefined, write: (text: string) => lines.push(text.trimEnd()) };
  return { output: new Output(stream as unknown as NodeJS.WriteStream), lines };
}

/** Says `up` and stays until SIGTERM. */
export const obedient = `console.log('up'); setInterval(() => {}, 1e6);`;
/** Says `up` and stays, whatever it is asked. */
export const stubborn = `process.on('SIGTERM', () => {}); ${obedient}`;

/**
 * A shell that says the pid of its child and becomes a program that never asks how that ended, which leaves a zombie. The child
 * waits for that: a shell would ask.
 */
export const zombieKeeper = String.raw`sh -c 'while [ "$(cat /proc/$PPID/comm)" = sh ]; do :; done' & echo $!; exec sleep 60`;

/** A part that runs this JavaScript and is ready when it has said `up`. */
export function scriptPart(folder: string, name: string, javaScript: string, overrides: Partial<Part> = {}): Part {
  return {
    name,
    command: process.execPath,
    args: ['-e', javaScript],
    env: process.env,
    log: join(folder, `${name}.log`),
    stop: [{ signal: 'SIGTERM', waitMs: 300 }],
    ipc: false,
    readyTimeoutMs: 10_000,
    ready: (running, signal) => untilSays(running, 'up', signal),
    ...overrides,
  };
}

async function untilSays(running: Running, word: string, signal: AbortSignal): Promise<void> {
  while (!signal.aborted && !running.output().includes(word)) await sleep(10, undefined, { signal }).catch(() => undefined);
}
