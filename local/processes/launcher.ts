/** Starts and stops everything: locks the folder, runs the steps, and in the end stops first the processes that take work, then the servers. */
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { withDeadline } from './deadline.js';
import type { Launch } from './launch.js';
import { takeLock } from './lock.js';
import { keepLogsSmall } from './log-files.js';
import type { Output } from '../output/output.js';
import { type Plan, prepareDataDir } from '../plan/plan.js';
import { PortBook, requireFreePort } from './ports.js';
import { runOnce } from './run-once.js';
import { RunRecord, stopLeftovers } from '../state/run-record.js';
import { reasonOf } from '../output/start-error.js';
import type { Supervisor } from './supervisor.js';

/** The worker still serves requests that the API is finishing. After this time it begins to stop too. */
const headStartMs = 5_000;

/** The steps of a start. `giveUp` cancels the steps that run in parallel with a failed one. */
export type Steps = (launch: Launch, port: number, giveUp: () => void) => Promise<void>;

export class Launcher {
  readonly #cancel = new AbortController();
  readonly #supervisors = new Map<string, Supervisor>();
  #record: RunRecord | undefined;
  #releaseLock: (() => void) | undefined;
  #starting: Promise<void> = Promise.resolve();

  constructor(
    private readonly plan: Plan,
    private readonly output: Output,
    private readonly steps: Steps,
  ) {}

  /**
   * Starts the servers that are not configured, and the service. Resolves when the service is ready.
   * @throws StartError or ConfigError, which the user can fix; call `stop` in this case, too
   */
  start(): Promise<void> {
    this.#starting = this.#takeFolderAndStart();
    return this.#starting;
  }

  /** Stops all processes gracefully, also during a start. Resolves when no process is left. */
  async stop(): Promise<void> {
    this.#cancel.abort();
    await this.#starting.catch(() => undefined); // the caller of `start` gets the error
    const drained = this.#stopPart('API');
    await Promise.race([drained, sleep(headStartMs, undefined, { ref: false })]);
    await Promise.all([drained, this.#stopPart('worker')]);
    await this.#stopPart('Temporal');
    await this.#stopPart('PostgreSQL');
    this.#leaveFolder();
  }

  /** Kills all processes. */
  kill(): void {
    this.#cancel.abort();
    this.#record?.killAll();
    this.#leaveFolder();
  }

  async #takeFolderAndStart(): Promise<void> {
    const { plan, output } = this;
    const { dataDir, host } = plan.config;
    prepareDataDir(dataDir);
    this.#releaseLock = takeLock(dataDir);
    const leftovers = await stopLeftovers(dataDir);
    if (leftovers.length > 0) output.note(`stopped processes that an earlier start left behind: ${leftovers.join(', ')}`);
    const record = new RunRecord(dataDir);
    this.#record = record;
    const ports = new PortBook(dataDir);
    const port = plan.config.port === 0 ? await ports.choose('api') : plan.config.port;
    await requireFreePort(port, host);
    const cancel = this.#cancel.signal;
    cancel.throwIfAborted();
    const run: Launch['run'] = (command, timeoutMs) =>
      timeoutMs === undefined
        ? runOnce(command, record, cancel)
        : withDeadline(cancel, timeoutMs, (signal) => runOnce(command, record, signal));
    const logDir = join(dataDir, 'logs');
    keepLogsSmall(logDir, cancel, (error) => output.fault(`the log files could not be rotated: ${reasonOf(error)}`));
    const launch = { plan, output, record, ports, logDir, cancel, supervisors: this.#supervisors, run };
    await this.steps(launch, port, () => this.#cancel.abort());
  }

  async #stopPart(name: string): Promise<void> {
    const supervisor = this.#supervisors.get(name);
    if (supervisor === undefined) return;
    await this.output.step(
      () => supervisor.stop(),
      () => `${name} stopped`,
    );
  }

  #leaveFolder(): void {
    if (this.#releaseLock === undefined) return; // another launcher holds the lock
    this.#record?.erase();
    this.#releaseLock();
    this.#releaseLock = undefined;
  }
}
