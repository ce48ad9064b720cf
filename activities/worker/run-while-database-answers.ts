/**
 * Temporal workers that run while PostgreSQL answers. A worker process that reaches Temporal but not PostgreSQL would keep its share of the work, and
 * could do none of it. So it leaves its work to others, and starts again when PostgreSQL answers. If PostgreSQL is away for all processes, their
 * tasks wait in Temporal.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { openPool, select } from '../../models/db/database.js';
import type { Logger } from '../../models/process/logger.js';
import type { LeavingWorkers, RunningWorkers } from './workers.js';

const everyMs = 500;
/** Longer than the time between two heartbeats. PostgreSQL is asked only after a heartbeat has failed or hangs. */
const silenceMsMin = 5_000;
/** A restart of PostgreSQL is mostly shorter. */
const lostMs = 10_000;
/** A process that was frozen or blocked needs a moment to read the answers that wait. */
const failuresMin = 3;
const answerMsMax = 2_000;
/** When the process has to stop: after this time it ends with what is not finished. The process manager must wait longer. */
const forceMs = 80_000;

export interface SupervisionDeps {
  start: () => Promise<LeavingWorkers>;
  /** The time since PostgreSQL took a heartbeat. */
  silentMs: () => number;
  /** Whether PostgreSQL answers on a new connection. */
  answers: () => Promise<boolean>;
  logger: Logger;
}

/** @param first the workers that are running */
export function runWhileDatabaseAnswers(first: LeavingWorkers, deps: SupervisionDeps): RunningWorkers {
  return new Supervision(first, deps);
}

/** Whether PostgreSQL answers on a new connection within two seconds. */
export async function answers(databaseUrl: string): Promise<boolean> {
  const db = openPool(databaseUrl, 1, { answerMsMax, acquireMsMax: answerMsMax });
  try {
    await select(db, 'SELECT 1');
    return true;
  } catch {
    return false;
  } finally {
    void db.close().catch(() => undefined);
  }
}

class Supervision implements RunningWorkers {
  readonly done: Promise<void>;
  #fail: (error: unknown) => void = () => undefined;
  /** The ends of all workers that were started. Those that have left may finish activities for three minutes. */
  readonly #ends: Promise<void>[] = [];
  #isStopping = false;
  /** Aborted when all workers have ended because the process has to stop. */
  readonly #over = new AbortController();

  constructor(
    private current: LeavingWorkers,
    private readonly deps: SupervisionDeps,
  ) {
    const failed = new Promise<never>((_, reject) => {
      this.#fail = reject;
    });
    this.#add(current);
    this.done = Promise.race([this.#run(), failed]);
  }

  async stop(): Promise<void> {
    this.#isStopping = true;
    const forced = setTimeout(() => this.#fail(new Error('Activities did not end in time')), forceMs);
    this.#stopCurrent();
    void Promise.all(this.#ends).then(() => this.#over.abort());
    await this.done.finally(() => clearTimeout(forced));
  }

  #add(workers: LeavingWorkers): void {
    this.current = workers;
    this.#ends.push(workers.done.catch((error: unknown) => this.#fail(error)));
  }

  #stopCurrent(): void {
    this.current.stop().catch(() => undefined); // `done` rejects with the same error
  }

  async #run(): Promise<void> {
    while (await this.#isLost()) {
      this.deps.logger.error('the worker has lost PostgreSQL: it leaves its work to other workers until PostgreSQL answers');
      this.current.leave().catch(() => undefined); // `done` rejects with the same error
      await this.#startAgain();
      if (this.#isStopping) break;
      this.deps.logger.warn('PostgreSQL answers again: the worker takes work');
    }
    this.#stopCurrent();
    await Promise.all(this.#ends);
  }

  /** Resolves with true when PostgreSQL is lost, and with false when all workers have stopped. */
  async #isLost(): Promise<boolean> {
    const { silentMs, answers: ask } = this.deps;
    let failures = 0;
    while (!this.#over.signal.aborted) {
      await sleep(everyMs, undefined, { signal: this.#over.signal }).catch(() => undefined);
      failures = silentMs() < silenceMsMin || (await ask()) ? 0 : failures + 1;
      if (failures >= failuresMin && silentMs() >= lostMs) return true;
    }
    return false;
  }

  /** Starts workers when PostgreSQL answers. Gives up when the process has to stop. */
  async #startAgain(): Promise<void> {
    const { answers: ask, start, logger } = this.deps;
    while (!this.#isStopping) {
      await sleep(everyMs);
      if (!(await ask())) continue;
      try {
        return this.#add(await start());
      } catch (err) {
        logger.warn({ err }, 'the workers could not start');
      }
    }
  }
}
