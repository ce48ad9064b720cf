/**
 * Temporal workers that run while PostgreSQL and Temporal answer. A worker process that reaches Temporal but not PostgreSQL would keep its share of the
 * work, and could do none of it. So it leaves its work to others, and starts again when PostgreSQL answers. If PostgreSQL is away for all processes,
 * their tasks wait in Temporal. A worker whose polls Temporal refuses, because it has lost its data, takes no more work. So it stops, and another one
 * starts in this process when the namespace exists.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { openPool, select } from '../../models/db/database.js';
import type { Logger } from '../../models/process/logger.js';
import type { Heartbeats } from './worker-heartbeat.js';
import type { LeavableWorkers, RunningWorkers } from './workers.js';

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
/** The same if nothing runs for so long. Temporal ends the polls of a worker that stops, but not while it is away or has lost its data. */
const idleMsMin = 10_000;

export interface SupervisionDeps {
  start: () => Promise<LeavableWorkers>;
  heartbeats: Pick<Heartbeats, 'silentMs' | 'rest' | 'resume'>;
  /** Whether PostgreSQL answers on a new connection. */
  databaseAnswers: () => Promise<boolean>;
  /** Whether Temporal answers, and has the namespace. @throws if it refuses the credential, which only a new process may have anew */
  hasNamespace: () => Promise<boolean>;
  logger: Logger;
}

/** Why the workers end. */
interface Loss {
  server: 'PostgreSQL' | 'Temporal';
  text: string;
  err?: unknown;
  end: (workers: LeavableWorkers) => Promise<void>;
}

const lostDatabase: Loss = {
  server: 'PostgreSQL',
  text: 'the worker has lost PostgreSQL: it leaves its work to other workers until PostgreSQL responds',
  end: (workers) => workers.leave(),
};
/** Polls that are still open may each take a task as soon as the namespace exists, and the former workers do it. */
const refusedByTemporal = (err: unknown): Loss => ({
  server: 'Temporal',
  text: 'Temporal refuses the worker: it takes no work until Temporal responds and has the namespace',
  err,
  end: (workers) => workers.stop(),
});

/** @param first the workers that are running */
export function runWhileServersAnswer(first: LeavableWorkers, deps: SupervisionDeps): RunningWorkers {
  return new Supervision(first, deps);
}

/** Whether PostgreSQL answers on a new connection within two seconds. */
export async function databaseAnswers(databaseUrl: string): Promise<boolean> {
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
  /** Ends what is left: polls, and results that Temporal does not take. Their tasks are repeated. */
  #finish: () => void = () => undefined;
  /** All workers that were started. Those that have left may finish activities for three minutes. */
  readonly #started: LeavableWorkers[] = [];
  readonly #ends: Promise<void>[] = [];
  /** The start of further workers, if one is in progress. */
  #starting: Promise<void> = Promise.resolve();
  #isStopping = false;
  /** Aborted when all workers have ended because the process has to stop. */
  readonly #over = new AbortController();

  constructor(
    private current: LeavableWorkers,
    private readonly deps: SupervisionDeps,
  ) {
    const ended = new Promise<void>((resolve, reject) => {
      this.#finish = resolve;
      this.#fail = reject;
    });
    this.#add(current);
    this.done = Promise.race([this.#run(), ended]);
  }

  async stop(): Promise<void> {
    this.#isStopping = true;
    const forced = setTimeout(() => this.#fail(new Error('Activities did not end in time')), forceMs);
    this.#stopCurrent();
    this.#untilEnded()
      .then(() => this.#over.abort())
      .catch(() => undefined); // `done` rejects with the same error
    void this.#untilIdle().then(() => {
      this.#over.abort();
      this.#finish();
    });
    await this.done.finally(() => clearTimeout(forced));
  }

  #add(workers: LeavableWorkers): void {
    this.current = workers;
    this.#started.push(workers);
    this.#ends.push(workers.done.catch((error: unknown) => this.#fail(error ?? new Error('A Temporal worker failed without a reason'))));
  }

  #stopCurrent(): void {
    this.current.stop().catch(() => undefined); // `done` rejects with the same error
  }

  async #run(): Promise<void> {
    const { logger, heartbeats } = this.deps;
    for (let loss = await this.#nextLoss(); loss !== null; loss = await this.#nextLoss()) {
      logger.error({ err: loss.err }, loss.text);
      heartbeats.rest();
      loss.end(this.current).catch(() => undefined); // `done` rejects with the same error
      this.#starting = this.#startWhenServersAnswer();
      await this.#starting;
      if (this.#isStopping) break;
      heartbeats.resume();
      logger.info({ server: loss.server }, 'a server responds again: the worker takes work');
    }
    this.#stopCurrent();
    await Promise.all(this.#ends);
  }

  /** Resolves when a server is lost, and with null when all workers have stopped. */
  async #nextLoss(): Promise<Loss | null> {
    const { heartbeats, databaseAnswers } = this.deps;
    const { refused } = this.current;
    const signal = AbortSignal.any([this.#over.signal, refused]);
    let failures = 0;
    while (!signal.aborted) {
      await sleep(everyMs, undefined, { signal }).catch(() => undefined);
      failures = heartbeats.silentMs() < silenceMsMin || (await databaseAnswers()) ? 0 : failures + 1;
      if (failures >= failuresMin && heartbeats.silentMs() >= lostMs) return lostDatabase;
    }
    return refused.aborted ? refusedByTemporal(refused.reason) : null;
  }

  /** Starts workers when both servers answer. Gives up when the process has to stop. */
  async #startWhenServersAnswer(): Promise<void> {
    const { databaseAnswers, hasNamespace, start, logger } = this.deps;
    while (!this.#isStopping) {
      await sleep(everyMs);
      if (!(await databaseAnswers()) || !(await hasNamespace())) continue;
      if (this.#isStopping) return;
      try {
        return this.#add(await start());
      } catch (err) {
        logger.warn({ err }, 'the workers could not start; trying again');
      }
    }
  }

  /** Resolves when all workers have ended, also those that are only starting. */
  async #untilEnded(): Promise<void> {
    await this.#starting;
    await Promise.all(this.#ends);
  }

  /** Resolves when nothing has run for a while. */
  async #untilIdle(): Promise<void> {
    let busyAt = performance.now();
    while (!this.#over.signal.aborted && performance.now() - busyAt < idleMsMin) {
      await sleep(everyMs, undefined, { signal: this.#over.signal }).catch(() => undefined);
      if (this.#started.some((workers) => !workers.isIdle())) busyAt = performance.now();
    }
  }
}
