/** A count per key. A key with the count 0 takes no memory. */
export class Tally {
  readonly #counts = new Map<string, number>();

  /** How many keys have a count above 0. */
  get keys(): number {
    return this.#counts.size;
  }

  /** The count of this key. */
  of(key: string): number {
    return this.#counts.get(key) ?? 0;
  }

  add(key: string): void {
    this.#counts.set(key, this.of(key) + 1);
  }

  /** Does work that counts while it runs, or calls `refused` if this key has reached the maximum. */
  async run<Result>(key: string, max: number, work: () => Promise<Result>, refused: () => Result): Promise<Result> {
    if (this.of(key) >= max) return refused();
    this.add(key);
    try {
      return await work();
    } finally {
      this.remove(key);
    }
  }

  remove(key: string): void {
    const left = this.of(key) - 1;
    if (left > 0) this.#counts.set(key, left);
    else this.#counts.delete(key);
  }
}
