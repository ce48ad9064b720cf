import { busy } from '../errors.js';
import { ReaderQueue } from './reader-queue.js';

export interface ReaderPlacesOptions {
  /** How many owners read at the same time. */
  max: number;
  /** A client that takes this much is never ended. */
  bytesPerSecond: number;
  /**
   * How far a client may be behind this pace and keep its place. It is longer than one wait of a client with exactly this pace: the system
   * takes more bytes only when a third of its buffer is free, which is up to 1.5 MB.
   */
  behindMsMax: number;
  /** A clock in milliseconds. */
  now?: () => number;
}

/** The place of one owner. Only the time that the client takes counts against it, and not what reading the rows takes. */
export interface ReaderPlace {
  /** The client begins to read. @param end breaks its connection */
  begin(end: () => void): void;
  /** Bytes were given to the client, which may take its time. */
  offer(bytes: number): void;
  /** The client has taken them. */
  taken(): void;
  /** Returns the place. A second call has no effect. */
  leave(): void;
}

interface Reader {
  address: string;
  since: number;
  end: (() => void) | null;
  /** How far the client was behind when the last bytes were taken. A client that reads faster than the pace gets no credit for it. */
  behindMs: number;
  /** What the client has now; null: it waits for us. */
  offered: { at: number; bytes: number } | null;
}

/**
 * The places of long responses, each of which keeps rows in memory at the pace of its client. An owner has one place. When all are taken, the
 * client that is furthest behind an ordinary pace makes room for another owner, so that slow clients cannot keep the others out. Fast clients of
 * one address cannot do so either: after the same time, the newest of an address with several places makes room for another address that has
 * fewer. Refused owners stand in line (`ReaderQueue`), so that those who ask most often get no more than others.
 */
export class ReaderPlaces {
  readonly #readers = new Map<string, Reader>();
  readonly #line = new ReaderQueue();

  constructor(private readonly options: ReaderPlacesOptions) {}

  /** Whether this owner has a place. */
  has(owner: string): boolean {
    return this.#readers.has(owner);
  }

  /**
   * Takes a place for an owner that has none. May end the response of another owner.
   * @param address where the owner asks from
   * @throws AppError unavailable if there is no place, or others have waited longer for it
   */
  take(owner: string, address: string): ReaderPlace {
    this.#makeRoom(owner, address);
    const reader: Reader = { address, since: this.#now(), end: null, behindMs: 0, offered: null };
    this.#readers.set(owner, reader);
    return {
      begin: (end) => void (reader.end = end),
      offer: (bytes) => void (reader.offered = { at: this.#now(), bytes }),
      taken: () => {
        reader.behindMs = Math.max(0, this.#behindMsOf(reader) - ((reader.offered?.bytes ?? 0) * 1_000) / this.options.bytesPerSecond);
        reader.offered = null;
      },
      leave: () => {
        // The owner may have lost this place, and have another one by now.
        if (this.#readers.get(owner) === reader) this.#readers.delete(owner);
      },
    };
  }

  #makeRoom(owner: string, address: string): void {
    const ahead = this.#line.ask(owner, address, { now: this.#now(), placesOf: (each) => this.#placesOf(each) });
    const free = this.options.max - this.#readers.size;
    if (ahead >= free) {
      const [last, ...others] = this.#removable(address);
      if (last === undefined || ahead > free + others.length) throw busy();
      this.#readers.delete(last.owner);
      last.reader.end?.();
    }
    this.#line.leave(owner);
  }

  /** The readers that make room for this address, the one to end first before the others. */
  #removable(address: string): { owner: string; reader: Reader }[] {
    const all = [...this.#readers].map(([owner, reader]) => ({ owner, reader, ms: this.#behindMsOf(reader) }));
    const slow = all.filter(({ ms }) => ms > this.options.behindMsMax).toSorted((one, other) => other.ms - one.ms);
    if (slow.length > 0) return slow;
    const mostPlaces = Math.max(...all.map(({ reader }) => this.#placesOf(reader.address)));
    if (mostPlaces <= this.#placesOf(address) + 1) return [];
    const begunBefore = this.#now() - this.options.behindMsMax;
    return all
      .filter(({ reader }) => this.#placesOf(reader.address) === mostPlaces && reader.since < begunBefore)
      .toSorted((one, other) => other.reader.since - one.reader.since)
      .slice(0, 1);
  }

  #placesOf(address: string): number {
    return [...this.#readers.values()].filter((reader) => reader.address === address).length;
  }

  #behindMsOf({ behindMs, offered }: Reader): number {
    return behindMs + (offered === null ? 0 : this.#now() - offered.at);
  }

  #now(): number {
    return this.options.now?.() ?? performance.now();
  }
}
