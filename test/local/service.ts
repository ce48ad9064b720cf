/** `npm start` and `npm run demo` as their users run them: the compiled entry points as processes. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join, resolve } from 'node:path';
import { endProcess, identify, isAlive, type ProcessIdentity } from '../../local/processes/process-identity.js';
import type { RunningProcess } from '../../local/state/run-record.js';
import { readState } from '../../local/state/state-file.js';
import { until } from '../support/client.js';

export interface StartedService {
  child: ChildProcess;
  launcher: ProcessIdentity;
  /** everything printed so far */
  printed(): string;
  /** the first match of the pattern's first group in what was printed */
  find(pattern: RegExp): string;
}

const spawned: { child: ChildProcess; dataDir: string }[] = [];

/** Runs an entry point of local/, leading a process group of its own, with nothing of this process's settings. */
export function spawnEntryPoint(
  name: 'start' | 'demo',
  dataDir: string,
  env: NodeJS.ProcessEnv = {},
): { child: ChildProcess; printed(): string } {
  const { PATH, HOME, XDG_CACHE_HOME } = process.env;
  const script = resolve(import.meta.dirname, `../../local/${name}.js`);
  const child = spawn(process.execPath, ['--enable-source-maps', script], {
    cwd: dataDir, // a file .env of the developer is not read
    env: { PATH, HOME, XDG_CACHE_HOME, DATA_DIR: dataDir, PORT: '0', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  spawned.push({ child, dataDir });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (output += chunk.toString()));
  return { child, printed: () => output };
}

/** Starts the service and resolves when it says that it is ready. */
export async function startEntryPoint(dataDir: string, env: NodeJS.ProcessEnv = {}): Promise<StartedService> {
  const { child, printed } = spawnEntryPoint('start', dataDir, env);
  const launcher = identify(child.pid as number);
  if (launcher === undefined) throw new Error('the launcher is gone already');
  await until(() => printed().includes('Ctrl-C stops everything') || child.exitCode !== null, 'the service is ready, or ended');
  if (child.exitCode !== null) throw new Error(`the service did not start:\n${printed()}`);
  return { child, launcher, printed, find: (pattern) => pattern.exec(printed())?.[1] ?? '' };
}

/** The processes that the launcher of this folder has started and that still run. */
export const processesOf = (dataDir: string): RunningProcess[] =>
  (readState<{ processes: RunningProcess[] }>(join(dataDir, 'run.json'))?.processes ?? []).filter(isAlive);

/** Waits for the end of an entry point: its exit code. */
export async function exitCodeOf(child: ChildProcess): Promise<number | null> {
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
  return child.exitCode;
}

/** Ends whatever a failed test has left: the entry points first, so that they start nothing again, then what they started. */
export async function killAll(): Promise<void> {
  const left = spawned.splice(0);
  for (const { child } of left) if (child.exitCode === null && child.signalCode === null) process.kill(-(child.pid as number), 'SIGKILL');
  await Promise.all(left.map(({ child }) => exitCodeOf(child)));
  for (const { dataDir } of left) for (const running of processesOf(dataDir)) await endProcess(running, []);
}
