import { busy } from '../errors.js';
import { Tally } from './tally.js';

export interface AdmissionOptions {
  /** How many pieces of work one round can process at the same time. */
  capacity: number;
  /** The target latency: admitted work should finish within this time. */
  maxLatencyMs: number;
  /** The shortest duration to assume for a round. A short round says nothing about a full one. This admits a burst on an idle service. */
  minRoundMs: number;
}

/** Weight of the latest round in the moving average of round durations. */
const latestWeight = 0.3;

/**
 * Refuses work while the work in progress would take longer than `maxLatencyMs`. By Little's law, work in progress = throughput × latency.
 * A round processes `capacity` pieces, so `capacity × maxLatencyMs / round duration` pieces may be in progress. All keys that have work
 * in progress share that number equally, so that a flood from one key does not lock out another.
 */
export class AdmissionControl {
  readonly #inProgress = new Tally();
  readonly #rounds = new Set<number>();
  #averageMs = 0;

  constructor(private readonly options: AdmissionOptions) {}

  /**
   * Admits one piece of work.
   * @returns a function to call when the work is done
   * @throws AppError unavailable if too much work is in progress
   */
  enter(key: string): () => void {
    if (this.isFullFor(key)) throw busy();
    this.#inProgress.add(key);
    return () => this.#inProgress.remove(key);
  }

  /** Whether `enter` would refuse this key now. */
  isFullFor(key: string): boolean {
    const own = this.#inProgress.of(key);
    const { capacity, maxLatencyMs } = this.options;
    // Every key gets at least one place, however many keys there are.
    return own > 0 && own >= (capacity * maxLatencyMs) / this.#roundMs() / this.#inProgress.keys;
  }

  /** Runs one round of the work and measures its duration. */
  async measureRound<Result>(work: () => Promise<Result>): Promise<Result> {
    const startedAt = performance.now();
    this.#rounds.add(startedAt);
    try {
      return await work();
    } finally {
      this.#rounds.delete(startedAt);
      const tookMs = performance.now() - startedAt;
      this.#averageMs = this.#averageMs === 0 ? tookMs : (1 - latestWeight) * this.#averageMs + latestWeight * tookMs;
    }
  }

  /** The expected duration of the next round: the average, or the age of the oldest open round if that is longer. */
  #roundMs(): number {
    const [oldest = performance.now()] = this.#rounds;
    return Math.max(this.options.minRoundMs, this.#averageMs, performance.now() - oldest);
  }
}
