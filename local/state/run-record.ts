/**
 * `DATA_DIR/run.json`: the running processes and their addresses. The demo reads the addresses. The next start stops the processes that a
 * killed launcher left.
 */
import { rmSync } from 'node:fs';
import { endProcess, identify, isAlive, killGroup, type ProcessIdentity, type StopStep } from '../processes/process-identity.js';
import { type RunningService, runFileIn } from '../../models/settings/environment.js';
import { readState, writeState } from './state-file.js';

export interface RunningProcess extends ProcessIdentity {
  name: string;
  stop: readonly StopStep[];
}

/** The addresses of the running service, seen from this machine. */
export interface Addresses {
  api: string;
  /** Null if Temporal is not embedded. */
  temporal_ui: string | null;
  /** host:port for the webhook receiver of the demo; null if not all servers are embedded. */
  demo_receiver: string | null;
}

interface Run extends RunningService {
  launcher: ProcessIdentity | undefined;
  processes: RunningProcess[];
  /** Present when the service is ready. */
  addresses?: Addresses;
}

export class RunRecord {
  readonly #path: string;
  readonly #run: Run;

  constructor(dataDir: string) {
    this.#path = runFileIn(dataDir);
    this.#run = { launcher: identify(process.pid), processes: [] };
  }

  /** @throws Error when the disk is full. The process is not recorded then */
  add(running: RunningProcess): void {
    const processes = [...this.#run.processes, running];
    writeState(this.#path, { ...this.#run, processes });
    this.#run.processes = processes;
  }

  remove(pid: number): void {
    this.#run.processes = this.#run.processes.filter((running) => running.pid !== pid);
    writeState(this.#path, this.#run);
  }

  /** Publishes that the service is ready. @param settings those that the launcher has made, for the operator's commands */
  announce(addresses: Addresses, settings: NodeJS.ProcessEnv): void {
    this.#run.addresses = addresses;
    this.#run.settings = settings;
    writeState(this.#path, this.#run);
  }

  /** Sends SIGKILL to all processes. */
  killAll(): void {
    for (const running of this.#run.processes) killGroup(running);
  }

  erase(): void {
    rmSync(this.#path, { force: true });
  }
}

/** The addresses of the service that uses this folder; undefined if none is ready. */
export function runningAddresses(dataDir: string): Addresses | undefined {
  const run = readState<Run>(runFileIn(dataDir));
  return run?.launcher !== undefined && isAlive(run.launcher) ? run.addresses : undefined;
}

/** The process that writes the run record of this folder; undefined when it wrote none. */
export const recordedLauncher = (dataDir: string): ProcessIdentity | undefined => readState<Run>(runFileIn(dataDir))?.launcher;

/**
 * Stops the processes that a killed launcher left, in reverse order of their start. The caller must hold the lock of the folder.
 * @returns the names of the stopped processes
 */
export async function stopLeftovers(dataDir: string): Promise<string[]> {
  const leftovers = (readState<Run>(runFileIn(dataDir))?.processes ?? []).filter(isAlive).toReversed();
  for (const leftover of leftovers) await endProcess(leftover, leftover.stop);
  return leftovers.map(({ name }) => name);
}
