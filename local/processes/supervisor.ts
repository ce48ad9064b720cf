/** Keeps one part running: starts it, starts it again when it dies, stops it for good. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Output } from './output.js';
import { launchUntilReady } from './launch-until-ready.js';
import type { Part, Running } from './part.js';
import type { RunRecord } from './run-record.js';
import { reasonOf } from '../plan/start-error.js';

const firstDelayMs = 500;
const longestDelayMs = 30_000;
/** A part that ran this long and then dies is started again without the delay of earlier deaths. */
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
   * Starts the part and resolves when it is ready; from then on it is started again whenever it dies.
   * @param cancel gives up the start
   * @throws StartError with the last lines of its output; nothing is left running then
   */
  async start(cancel: AbortSignal): Promise<void> {
    const launched = this.#launch(cancel);
    this.#watching = launched.then(
      (running) => this.#watch(running),
      () => undefined, // thrown below
    );
    await launched;
  }

  /** Ends the part in good order, also in the middle of starting again. Resolves when no process is left. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#running?.end();
    await this.#watching;
  }

  async #launch(cancel: AbortSignal): Promise<Running> {
    this.#running = await launchUntilReady(this.part, this.record, AbortSignal.any([this.#stopping.signal, cancel]));
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

  /** Tries, each time after a longer pause, until the part is ready; undefined when it is to be stopped meanwhile. */
  async #startAgain(earlierDeaths: number): Promise<{ running: Running; deaths: number } | undefined> {
    const { signal } = this.#stopping;
    for (let deaths = earlierDeaths + 1; ; deaths += 1) {
      const delayMs = Math.min(longestDelayMs, firstDelayMs * 2 ** (deaths - 1));
      this.output.note(`${this.part.name} is started again in ${delayMs / 1000} s`);
      await sleep(delayMs, undefined, { signal }).catch(() => undefined);
      if (signal.aborted) return undefined;
      try {
        let running: Running | undefined;
        await this.output.step(async () => {
          running = await this.#launch(signal);
          return `${this.part.name} is back`;
        });
        if (running !== undefined) return { running, deaths };
      } catch (error) {
        if (signal.aborted) return undefined;
        this.output.fault(reasonOf(error));
      }
    }
  }
}
