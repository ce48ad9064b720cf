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

  remove(key: string): void {
    const left = this.of(key) - 1;
    if (left > 0) this.#counts.set(key, left);
    else this.#counts.delete(key);
  }
}
