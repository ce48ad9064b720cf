import { busy } from '../errors.js';

export interface MemoryBudgetOptions {
  /** The most bytes in use at the same time, by all owners together. */
  maxBytes: number;
  /** The most bytes in use by one owner. */
  maxBytesPerOwner: number;
  /** Bytes that each owner may use even when `maxBytes` is used up. */
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
  readonly #bytesByOwner = new Map<string, number>();
  #total = 0;

  constructor(private readonly options: MemoryBudgetOptions) {}

  /** Starts a reservation of 0 bytes for this owner. */
  reservationFor(owner: string): MemoryReservation {
    let reserved = 0;
    return {
      reserve: (bytes) => {
        const { maxBytes, maxBytesPerOwner, guaranteedBytesPerOwner } = this.options;
        const ownTotal = (this.#bytesByOwner.get(owner) ?? 0) + bytes;
        if (ownTotal > maxBytesPerOwner || (this.#total + bytes > maxBytes && ownTotal > guaranteedBytesPerOwner)) throw busy();
        reserved += bytes;
        this.#add(owner, bytes);
      },
      release: () => {
        this.#add(owner, -reserved);
        reserved = 0;
      },
    };
  }

  #add(owner: string, bytes: number): void {
    this.#total += bytes;
    const ownTotal = (this.#bytesByOwner.get(owner) ?? 0) + bytes;
    if (ownTotal > 0) this.#bytesByOwner.set(owner, ownTotal);
    else this.#bytesByOwner.delete(owner);
  }
}
