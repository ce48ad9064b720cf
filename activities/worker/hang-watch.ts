/**
 * Notices when work never ends: so many ticks of a clock while something is under way and nothing ends. Ticks and not a time, for a
 * process that is stopped and goes on has hung for none of it.
 */
export class HangWatch {
  #pending = 0;
  #ticks = 0;
  #clock: NodeJS.Timeout | undefined;

  /** @param hung is called once for each row of `ticksMax` ticks without an end */
  constructor(
    private readonly hung: () => void,
    private readonly tickMs = 1_000,
    private readonly ticksMax = 10,
  ) {}

  /** Passes on what the work gives. */
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
