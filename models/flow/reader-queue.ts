/** An owner that asks again within this time keeps its turn. */
const patienceMs = 10_000;
const lengthMax = 1_000;

interface Waiter {
  address: string;
  askedAt: number;
}

/**
 * The owners that wait for a place. They wait by asking again. Owners whose address has fewer places go first, then those who have waited
 * longer. A turn that its owner does not use within ten seconds is lost.
 */
export class ReaderQueue {
  readonly #waiting = new Map<string, Waiter>();

  /**
   * Notes that an owner asks.
   * @param placesOf how many places an address has
   * @returns how many go before it
   */
  ask(owner: string, address: string, { now, placesOf }: { now: number; placesOf: (address: string) => number }): number {
    for (const [each, { askedAt }] of this.#waiting) if (now - askedAt > patienceMs) this.#waiting.delete(each);
    // One that is in line keeps its place in the map, which is in the order of the first requests. With no room, an owner is always the last.
    if (this.#waiting.has(owner) || this.#waiting.size < lengthMax) this.#waiting.set(owner, { address, askedAt: now });
    const places = placesOf(address);
    let ahead = 0;
    let isEarlier = true;
    for (const [each, waiter] of this.#waiting) {
      if (each === owner) isEarlier = false;
      else if (placesOf(waiter.address) < places || (isEarlier && placesOf(waiter.address) === places)) ahead += 1;
    }
    return ahead;
  }

  leave(owner: string): void {
    this.#waiting.delete(owner);
  }
}
