import { busy } from './errors.js';
import { Tally } from './tally.js';

export interface AdmissionOptions {
  /** What can be under way at once at most, in one round of the work. */
  capacity: number;
  /** How long what is let in may take at most. */
  msMax: number;
}

/** Weight of the latest round in what a round is expected to take. */
const latest = 0.3;
/** What has left lately tells how much leaves. */
const lately = 1_000;

/**
 * Turns work away as long as what is under way would make it take too long. By Little's law what is under way is what leaves in a
 * second times the seconds that it takes, so what left in the last second times `msMax` may be under way; and as much as fits in one round, for a
 * burst on a service of which nothing is known yet, unless rounds take longer than that. Whoever turns up with a key has that divided
 * by the number of keys, so that nobody's flood keeps anybody else out.
 */
export class Admission {
  readonly #underWay = new Tally();
  readonly #rounds = new Set<number>();
  #expectedMs = 0;
  /** The latest rounds, the oldest first: when each ended, and how many pieces of work it was. */
  #ended: { at: number; size: number }[] = [];

  constructor(private readonly options: AdmissionOptions) {}

  /**
   * Lets one piece of work in.
   * @returns to be called when it is over
   * @throws AppError 503 when too much is under way
   */
  enter(key: string): () => void {
    const own = this.#underWay.of(key);
    const keys = this.#underWay.keys + (own === 0 ? 1 : 0);
    // Everybody has one place, however many there are.
    if (own > 0 && own >= this.#places() / keys) throw busy();
    this.#underWay.add(key);
    return () => this.#underWay.remove(key);
  }

  /** Measures a round of so many pieces of work. */
  async round<Result>(size: number, work: () => Promise<Result>): Promise<Result> {
    const since = performance.now();
    this.#rounds.add(since);
    try {
      return await work();
    } finally {
      this.#rounds.delete(since);
      const at = performance.now();
      const took = at - since;
      this.#ended.push({ at, size });
      this.#expectedMs = this.#expectedMs === 0 ? took : (1 - latest) * this.#expectedMs + latest * took;
    }
  }

  #places(): number {
    const { capacity, msMax } = this.options;
    const since = performance.now() - lately;
    while (this.#ended[0] !== undefined && this.#ended[0].at < since) this.#ended.shift();
    const left = this.#ended.reduce((sum, { size }) => sum + size, 0);
    return Math.max((left * msMax) / lately, capacity * Math.min(1, msMax / this.#roundMs()));
  }

  /** What the next round will take, by the last ones and by the oldest that is not over. */
  #roundMs(): number {
    const [oldest = performance.now()] = this.#rounds;
    return Math.max(this.#expectedMs, performance.now() - oldest);
  }
}
