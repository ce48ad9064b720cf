/** Keeps a part running: starts it, and restarts it when it dies. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Output } from '../output/output.js';
import { launchUntilReady } from './launch-until-ready.js';
import type { Part, Running } from './part.js';
import type { RunRecord } from '../state/run-record.js';
import { reasonOf } from '../output/start-error.js';

const firstDelayMs = 500;
const longestDelayMs = 30_000;
/** After this uptime, a restart no longer waits for the delay that earlier crashes caused. */
const steadyAfterMs = 60_000;

export class Supervisor {
  readonly #stopping = new AbortController();
  #running: Running | undefined;
  #watching: Promise<void> | undefined;

  constructor(
    private readonly part: Part,
    private readonly record: RunRecord,
    private readonly output: Output,
  ) {}

  /**
   * Starts the part and resolves when it is ready. From then on the part is restarted when it dies.
   * @param cancel cancels the start
   * @throws StartError with the last lines of its output; no process is left then
   */
  async start(cancel: AbortSignal): Promise<void> {
    const launched = this.#launch(AbortSignal.any([this.#stopping.signal, cancel]));
    this.#watching = launched.then(
      (running) => this.#watch(running),
      () => undefined, // the error is thrown below
    );
    await launched;
  }

  /** Stops the part gracefully, also during a restart. Resolves when no process is left. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#running?.end();
    await this.#watching;
  }

  async #launch(cancel: AbortSignal): Promise<Running> {
    this.#running = await launchUntilReady(this.part, this.record, cancel);
    return this.#running;
  }

  async #watch(first: Running): Promise<void> {
    const { signal } = this.#stopping;
    let running = first;
    for (let deaths = 0; ; ) {
      const readySince = performance.now();
      const { how } = await running.ended;
      if (signal.aborted) return;
      deaths = performance.now() - readySince > steadyAfterMs ? 0 : deaths;
      this.output.fault(`${this.part.name} ended (${how})`);
      const again = await this.#startAgain(deaths);
      if (again === undefined) return;
      ({ running, deaths } = again);
    }
  }

  /** Restarts with growing delays until the part is ready. Resolves to undefined if the part is stopped meanwhile. */
  async #startAgain(earlierDeaths: number): Promise<{ running: Running; deaths: number } | undefined> {
    const { signal } = this.#stopping;
    for (let deaths = earlierDeaths + 1; ; deaths += 1) {
      const delayMs = Math.min(longestDelayMs, firstDelayMs * 2 ** (deaths - 1));
      this.output.note(`${this.part.name} restarts in ${delayMs / 1000} s`);
      await sleep(delayMs, undefined, { signal }).catch(() => undefined);
      if (signal.aborted) return undefined;
      try {
        const running = await this.output.step(
          () => this.#launch(signal),
          () => `${this.part.name} is back`,
        );
        return { running, deaths };
      } catch (error) {
        if (signal.aborted) return undefined;
        this.output.fault(reasonOf(error));
      }
    }
  }
}
