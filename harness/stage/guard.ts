/**
 * Ends the servers of a process that was killed before it could end them itself, such as a test run. `npm start` does not use it: there
 * the next start ends what a killed launcher left. Also the entry point of the process that watches.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { rmSync } from 'node:fs';
import type { Socket } from 'node:net';
import { createInterface } from 'node:readline';
import { endProcess, type StopStep } from '../../local/processes/process-identity.js';
import { recordedLauncher, stopLeftovers } from '../../local/state/run-record.js';
import { isEntryPoint } from '../../models/process/is-entry-point.js';

/** A launcher that still runs, such as an `npm start` in a test, stops its own servers when it is asked to. */
const launcherStop = [{ signal: 'SIGTERM', waitMs: 20_000 }] as const satisfies readonly StopStep[];

let watcher: ChildProcess | undefined;

/**
 * When this process ends without `release`, the watcher ends all processes in the folder's run record and removes the folder.
 * One watcher serves all folders of a process. It ends with this process.
 * @param folder a temporary folder with the `run.json` of a `RunRecord` or of a launcher
 * @returns `release`, to be called once the processes have ended
 */
export function guardFolder(folder: string): () => void {
  watcher ??= startWatcher();
  const { stdin } = watcher;
  stdin?.write(`add ${folder}\n`);
  return () => void stdin?.write(`release ${folder}\n`);
}

/** In a session of its own, so that no signal to the group of this process reaches it. */
function startWatcher(): ChildProcess {
  const child = spawn(process.execPath, [import.meta.filename, 'watch'], {
    detached: true,
    env: { PATH: process.env.PATH },
    stdio: ['pipe', 'ignore', 'inherit'],
  });
  child.on('error', (error) => process.stderr.write(`no watcher for the servers of this process: ${error.message}\n`));
  child.stdin.on('error', () => undefined); // the watcher was killed: this process still ends its servers itself
  child.unref();
  (child.stdin as Socket).unref();
  return child;
}

/** The system closes the pipe when the guarded process ends, however it ends. */
async function watch(): Promise<void> {
  const guarded = process.ppid;
  const folders = new Set<string>();
  for await (const line of createInterface({ input: process.stdin })) {
    const [, verb, folder = ''] = /^(\w+) (.*)$/.exec(line) ?? [];
    if (verb === 'add') folders.add(folder);
    else folders.delete(folder);
  }
  await Promise.all([...folders].map((folder) => clear(folder, guarded)));
}

/** @param guarded the process that has ended, or is about to: a signal now would change its exit code */
async function clear(folder: string, guarded: number): Promise<void> {
  const launcher = recordedLauncher(folder);
  if (launcher !== undefined && launcher.pid !== guarded) await endProcess(launcher, launcherStop);
  await stopLeftovers(folder);
  rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
}

if (isEntryPoint(import.meta.filename) && process.argv[2] === 'watch') await watch();
