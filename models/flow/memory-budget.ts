import { busy } from '../errors.js';

export interface MemoryBudgetOptions {
  /** The most bytes in use at the same time, by all owners together. */
  maxBytes: number;
  /** The most bytes in use by one owner, or by the owners of one group together. */
  maxBytesPerOwner: number;
  /** Bytes that each owner may use even when `maxBytes`, or the share of its group, is used up. */
  guaranteedBytesPerOwner: number;
}

/** The bytes that one piece of work uses. */
export interface MemoryReservation {
  /** @throws AppError unavailable if the budget is used up */
  reserve(bytes: number): void;
  /** Returns all reserved bytes. A second call has no effect. */
  release(): void;
}

/** Counts the bytes that this process keeps in memory for its clients, so that no client can exhaust the memory. */
export class MemoryBudget {
  readonly #bytesBy = new Map<string, number>();
  #total = 0;

  constructor(private readonly options: MemoryBudgetOptions) {}

  get maxBytesPerOwner(): number {
    return this.options.maxBytesPerOwner;
  }

  /**
   * Starts a reservation of 0 bytes for this owner.
   * @param group of owners that may belong to one client, by a name that no owner has. Its owners share what one owner may use
   */
  reservationFor(owner: string, group = owner): MemoryReservation {
    const { maxBytes, maxBytesPerOwner, guaranteedBytesPerOwner } = this.options;
    const names = new Set([owner, group]);
    let reserved = 0;
    const add = (bytes: number) => {
      reserved += bytes;
      this.#total += bytes;
      for (const name of names) this.#add(name, bytes);
    };
    return {
      reserve: (bytes) => {
        const usedBy = (name: string) => (this.#bytesBy.get(name) ?? 0) + bytes;
        const hasRoom = usedBy(group) <= maxBytesPerOwner && this.#total + bytes <= maxBytes;
        if (!hasRoom && usedBy(owner) > guaranteedBytesPerOwner) throw busy();
        add(bytes);
      },
      release: () => add(-reserved),
    };
  }

  #add(name: string, bytes: number): void {
    const total = (this.#bytesBy.get(name) ?? 0) + bytes;
    if (total > 0) this.#bytesBy.set(name, total);
    else this.#bytesBy.delete(name);
  }
}
