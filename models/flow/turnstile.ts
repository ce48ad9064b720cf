import { busy } from '../errors.js';
import { Tally } from './tally.js';

export interface TurnstileOptions {
  /** Pieces of work at once. */
  most: number;
  /** The same of one key. */
  mostOfKey?: number;
  /** How many may wait, in all and of one key; whoever is too many is refused with 503. */
  waitingMax?: number;
  waitingOfKeyMax?: number;
}

interface Waiting {
  resolve(): void;
  reject(error: unknown): void;
}

/** Runs work in its turn. Keys take turns, whoever has how much waiting. */
export type Turnstile = <Result>(work: () => Promise<Result>, key?: string) => Promise<Result>;

/** Lets so many pieces of work run at once; the others wait for their turn. */
export function createTurnstile(options: TurnstileOptions): Turnstile {
  const turns = new Turns(options);
  return async (work, key = '') => {
    await turns.begin(key);
    try {
      return await work();
    } finally {
      turns.end(key);
    }
  };
}

class Turns {
  readonly #waiting = new Map<string, Waiting[]>();
  readonly #running = new Tally();
  #waitingCount = 0;
  #free: number;

  constructor(private readonly options: TurnstileOptions) {
    this.#free = options.most;
  }

  async begin(key: string): Promise<void> {
    if (this.#free > 0 && this.#hasRoom(key)) this.#run(key);
    else await this.#wait(key);
  }

  end(key: string): void {
    this.#free += 1;
    this.#running.remove(key);
    this.#letIn();
  }

  #hasRoom(key: string): boolean {
    return this.#running.of(key) < (this.options.mostOfKey ?? this.options.most);
  }

  #run(key: string): void {
    this.#free -= 1;
    this.#running.add(key);
  }

  #wait(key: string): Promise<void> {
    const { waitingMax = Number.POSITIVE_INFINITY, waitingOfKeyMax = waitingMax } = this.options;
    const queue = this.#waiting.get(key) ?? [];
    if (queue.length >= waitingOfKeyMax || (this.#waitingCount >= waitingMax && !this.#makeRoom(queue.length + 1))) throw busy();
    this.#waiting.set(key, queue);
    this.#waitingCount += 1;
    return new Promise((resolve, reject) => queue.push({ resolve, reject }));
  }

  /** The last of whoever has most waiting gives way to one who would have fewer. */
  #makeRoom(ownLength: number): boolean {
    const longest = [...this.#waiting.values()].reduce((one, other) => (other.length > one.length ? other : one), []);
    if (longest.length <= ownLength) return false;
    longest.pop()?.reject(busy());
    this.#waitingCount -= 1;
    return true;
  }

  /** Gives what is free to the keys in turn. */
  #letIn(): void {
    for (const [key, queue] of this.#waiting) {
      if (this.#free === 0) return;
      if (!this.#hasRoom(key)) continue;
      this.#waiting.delete(key);
      const next = queue.shift();
      if (queue.length > 0) this.#waiting.set(key, queue); // at the back, where this loop meets it again
      this.#waitingCount -= 1;
      this.#run(key);
      next?.resolve();
    }
  }
}
