import { busy } from '../errors.js';
import { Tally } from './tally.js';

export interface AdmissionOptions {
  /** What can be under way at once at most, in one round of the work. */
  capacity: number;
  /** How long what is let in may take at most. */
  msMax: number;
  /** A round is never taken for shorter: a short one says nothing of a full one. By this a burst on an idle service is let in. */
  roundMsMin: number;
}

/** Weight of the latest round in what a round is expected to take. */
const latest = 0.3;

/**
 * Turns work away as long as what is under way would make it take too long. By Little's law what is under way is what leaves in a
 * second times the seconds that it takes; so with `capacity` a round, `capacity × msMax / round` is the most that can be let in.
 * Whoever turns up with a key has that divided by the number of keys, so that nobody's flood keeps anybody else out.
 */
export class Admission {
  readonly #underWay = new Tally();
  readonly #rounds = new Set<number>();
  #expectedMs = 0;

  constructor(private readonly options: AdmissionOptions) {}

  /**
   * Lets one piece of work in.
   * @returns to be called when it is over
   * @throws AppError 503 when too much is under way
   */
  enter(key: string): () => void {
    if (this.isFullFor(key)) throw busy();
    this.#underWay.add(key);
    return () => this.#underWay.remove(key);
  }

  /** Whether a piece of work with this key would not be let in now. */
  isFullFor(key: string): boolean {
    const own = this.#underWay.of(key);
    const { capacity, msMax } = this.options;
    // Everybody has one place, however many there are.
    return own > 0 && own >= (capacity * msMax) / this.#roundMs() / this.#underWay.keys;
  }

  /** Measures a round of the work. */
  async round<Result>(work: () => Promise<Result>): Promise<Result> {
    const since = performance.now();
    this.#rounds.add(since);
    try {
      return await work();
    } finally {
      this.#rounds.delete(since);
      const took = performance.now() - since;
      this.#expectedMs = this.#expectedMs === 0 ? took : (1 - latest) * this.#expectedMs + latest * took;
    }
  }

  /** What the next round will take, by the last ones and by the oldest that is not over. */
  #roundMs(): number {
    const [oldest = performance.now()] = this.#rounds;
    return Math.max(this.options.roundMsMin, this.#expectedMs, performance.now() - oldest);
  }
}
