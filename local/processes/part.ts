/** What has to be known of a process to run it; `Supervisor` and `runOnce` do the running. */
import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, fstatSync, mkdirSync, openSync, readSync } from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { endProcess, identify, type ProcessIdentity, type StopStep } from './process-identity.js';
import type { RunRecord } from './run-record.js';
import { StartError } from '../plan/start-error.js';

export interface Command {
  /** as the console names it */
  name: string;
  command: string;
  args: readonly string[];
  env: NodeJS.ProcessEnv;
  cwd?: string;
  /** file that its output is appended to */
  log: string;
  /** how it is asked to end; SIGKILL follows by itself */
  stop: readonly StopStep[];
}

export interface Part extends Command {
  /** has a message channel to us, and ends by itself when we are gone */
  ipc: boolean;
  readyTimeoutMs: number;
  /** Resolves once the part does its work; rejects when it never will. Gives up quietly when `signal` aborts. */
  ready(running: Running, signal: AbortSignal): Promise<void>;
}

export interface Running {
  child: ChildProcess;
  identity: ProcessIdentity;
  /** Resolves, never rejects, when the process is gone. */
  ended: Promise<Ending>;
  /** What it has written so far, at most the last 64 KiB. */
  output(): string;
  /** Ends it in good order; calling it again waits for the same ending. */
  end(): Promise<void>;
}

export interface Ending {
  succeeded: boolean;
  /** in words, for the console */
  how: string;
}

/**
 * Starts a process in a session of its own, so that Ctrl-C in the terminal reaches only the launcher,
 * and notes it in the run record until it ends.
 * @throws StartError when it cannot be started at all
 */
export async function launch(command: Command, record: RunRecord, ipc = false): Promise<Running> {
  mkdirSync(dirname(command.log), { recursive: true, mode: 0o700 });
  const log = openSync(command.log, 'a', 0o600);
  const logStart = fstatSync(log).size;
  const child = spawn(command.command, command.args, {
    ...(command.cwd === undefined ? {} : { cwd: command.cwd }),
    env: command.env,
    detached: true,
    stdio: ['ignore', log, log, ...(ipc ? (['ipc'] as const) : [])],
  });
  closeSync(log);
  const ended = endingOf(child);
  if (child.pid === undefined) throw new StartError(`${command.name} cannot be started: ${(await ended).how}.`);
  const identity = identify(child.pid) ?? { pid: child.pid, started: 'gone already' };
  record.add({ ...identity, name: command.name, stop: command.stop });
  void ended.then(() => record.remove(identity.pid));
  let ending: Promise<void> | undefined;
  const end = async () => {
    ending ??= endProcess(identity, command.stop);
    await ending;
    await ended;
  };
  return { child, identity, ended, output: () => readTail(command.log, logStart), end };
}

function endingOf(child: ChildProcess): Promise<Ending> {
  return new Promise((resolve) => {
    child.once('error', (error) => child.pid === undefined && resolve({ succeeded: false, how: error.message }));
    child.once('exit', (code, signal) => resolve({ succeeded: code === 0, how: signal ?? `exit code ${code}` }));
  });
}

function readTail(path: string, from: number): string {
  const file = openSync(path, 'r');
  const { size } = fstatSync(file);
  const start = Math.max(from <= size ? from : 0, size - 65_536); // it was begun anew where it is shorter now
  const bytes = Buffer.alloc(Math.max(0, size - start));
  readSync(file, bytes, 0, bytes.length, start);
  closeSync(file);
  return bytes.toString('utf8');
}

/** Resolves once its output shows this, or when `signal` aborts. */
export async function untilItSays({ output }: Running, what: RegExp, signal: AbortSignal): Promise<void> {
  while (!signal.aborted && !what.test(output())) await sleep(50, undefined, { signal }).catch(() => undefined);
}

/** The end of an output, indented, for the console. */
export function lastLines(output: string, count = 8): string {
  const lines = output.trimEnd().split('\n').slice(-count);
  return lines.map((line) => `    ${line.slice(0, 300)}`).join('\n');
}
