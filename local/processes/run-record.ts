/** `DATA_DIR/run.json`: what runs now and where. The demo reads the addresses; the next start ends what a killed launcher left. */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { endProcess, identify, isAlive, killGroup, type ProcessIdentity, type StopStep } from './process-identity.js';
import { readState, writeState } from '../plan/state-file.js';

export interface RunningProcess extends ProcessIdentity {
  name: string;
  stop: readonly StopStep[];
}

/** Where the running service is reached from this machine. */
export interface Addresses {
  api: string;
  /** null when Temporal is not ours */
  temporal_ui: string | null;
  /** host:port on which the demo may receive webhooks; null when not everything is embedded */
  demo_receiver: string | null;
}

interface Run {
  launcher: ProcessIdentity | undefined;
  processes: RunningProcess[];
  /** present once everything is ready */
  addresses?: Addresses;
}

const pathIn = (dataDir: string) => join(dataDir, 'run.json');

export class RunRecord {
  readonly #path: string;
  readonly #run: Run;

  constructor(dataDir: string) {
    this.#path = pathIn(dataDir);
    this.#run = { launcher: identify(process.pid), processes: [] };
  }

  add(running: RunningProcess): void {
    this.#run.processes.push(running);
    writeState(this.#path, this.#run);
  }

  remove(pid: number): void {
    this.#run.processes = this.#run.processes.filter((running) => running.pid !== pid);
    writeState(this.#path, this.#run);
  }

  /** Tells everybody that the service is ready. */
  announce(addresses: Addresses): void {
    this.#run.addresses = addresses;
    writeState(this.#path, this.#run);
  }

  /** SIGKILL for everything that runs. */
  killAll(): void {
    for (const running of this.#run.processes) killGroup(running);
  }

  erase(): void {
    rmSync(this.#path, { force: true });
  }
}

/** Addresses of the service that runs on this folder; undefined when none is ready. */
export function runningAddresses(dataDir: string): Addresses | undefined {
  const run = readState<Run>(pathIn(dataDir));
  return run?.launcher !== undefined && isAlive(run.launcher) ? run.addresses : undefined;
}

/** The process that writes the run record of this folder; undefined when it wrote none. */
export const recordedLauncher = (dataDir: string): ProcessIdentity | undefined => readState<Run>(pathIn(dataDir))?.launcher;

/**
 * Ends in good order what a killed launcher left running: last started, first stopped.
 * Call it only while holding the folder's lock.
 * @returns the names of what was stopped
 */
export async function stopLeftovers(dataDir: string): Promise<string[]> {
  const leftovers = (readState<Run>(pathIn(dataDir))?.processes ?? []).filter(isAlive).toReversed();
  for (const leftover of leftovers) await endProcess(leftover, leftover.stop);
  return leftovers.map(({ name }) => name);
}
