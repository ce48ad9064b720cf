/**
 * Detects work that never ends: a number of timer ticks during which no work completes. It counts ticks and not time, because a process that
 * was suspended has not hung.
 */
export class HangWatch {
  #pending = 0;
  #ticks = 0;
  #clock: NodeJS.Timeout | undefined;

  /** @param hung is called after `ticksMax` consecutive ticks without completion */
  constructor(
    private readonly hung: () => void,
    private readonly tickMs = 1_000,
    private readonly ticksMax = 10,
  ) {}

  /** Watches the work, and returns its result. */
  async over<Result>(work: () => Promise<Result>): Promise<Result> {
    this.#pending += 1;
    this.#clock ??= setInterval(() => this.#tick(), this.tickMs).unref();
    try {
      return await work();
    } finally {
      this.#ticks = 0;
      this.#pending -= 1;
      if (this.#pending === 0) this.#stop();
    }
  }

  #tick(): void {
    this.#ticks += 1;
    if (this.#ticks < this.ticksMax) return;
    this.#ticks = 0;
    this.hung();
  }

  #stop(): void {
    clearInterval(this.#clock);
    this.#clock = undefined;
  }
}
