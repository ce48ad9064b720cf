/** The description of a process. `Supervisor` and `runOnce` run it. */
import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, fstatSync, mkdirSync, openSync, readSync } from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { endProcess, identify, killGroup, type ProcessIdentity, type StopStep } from './process-identity.js';
import type { RunRecord } from '../state/run-record.js';
import { reasonOf, StartError } from '../output/start-error.js';

export interface Command {
  /** The name in the console output. */
  name: string;
  command: string;
  args: readonly string[];
  env: NodeJS.ProcessEnv;
  cwd?: string;
  /** The file to which its output is appended. */
  log: string;
  /** How to stop it. SIGKILL follows automatically. */
  stop: readonly StopStep[];
}

export interface Part extends Command {
  /** It has a message channel to the launcher, and ends when the channel closes. */
  ipc: boolean;
  readyTimeoutMs: number;
  /**
   * Resolves when the part is ready; rejects when it cannot become ready. Returns when `signal` aborts.
   * @param notYet is told why the part is not ready; the last reason is shown when the time is over
   */
  ready(running: Running, signal: AbortSignal, notYet: (error: unknown) => void): Promise<void>;
}

export interface Running {
  child: ChildProcess;
  identity: ProcessIdentity;
  /** Resolves when the process has ended. Never rejects. */
  ended: Promise<Ending>;
  /** Its output so far, at most the last 64 KiB. */
  output(): string;
  /** Stops the process gracefully. A second call waits for the same end. */
  end(): Promise<void>;
}

export interface Ending {
  succeeded: boolean;
  /** A text for the console. */
  how: string;
}

/**
 * Starts a process in its own session, so that Ctrl-C in the terminal reaches only the launcher. The run record contains the process until
 * it ends.
 * @throws StartError when the process cannot be started or recorded
 */
export async function startProcess(command: Command, record: RunRecord, ipc = false): Promise<Running> {
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
  try {
    record.add({ ...identity, name: command.name, stop: command.stop });
  } catch (error) {
    killGroup(identity); // nothing would stop it later
    await ended;
    throw new StartError(`${command.name} cannot be recorded: ${reasonOf(error)}.`, { cause: error });
  }
  // On a full disk the record keeps a process that has ended, which is recognized.
  void ended.then(() => record.remove(identity.pid)).catch(() => undefined);
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
  const start = Math.max(from <= size ? from : 0, size - 65_536); // the file was rotated if it is shorter now
  const bytes = Buffer.alloc(Math.max(0, size - start));
  readSync(file, bytes, 0, bytes.length, start);
  closeSync(file);
  return bytes.toString('utf8');
}

/** Resolves when the output matches, or when `signal` aborts. */
export async function untilItSays({ output }: Running, what: RegExp, signal: AbortSignal): Promise<void> {
  while (!signal.aborted && !what.test(output())) await sleep(50, undefined, { signal }).catch(() => undefined);
}

/** The last lines of an output, indented, for the console. */
export function lastLines(output: string): string {
  const lines = output.trimEnd().split('\n').slice(-8);
  return lines.map((line) => `    ${line.slice(0, 300)}`).join('\n');
}
