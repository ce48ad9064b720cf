import { busy } from '../errors.js';

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
  end: (() => void) | null;
  /** How far the client was behind when the last bytes were taken. Reading ahead earns nothing. */
  behindMs: number;
  /** What the client has now; null: it waits for us. */
  offered: { at: number; bytes: number } | null;
}

/**
 * The places of long responses, each of which keeps rows in memory at the pace of its client. An owner has one place. When all are taken, the
 * client that is furthest behind an ordinary pace makes room for another owner, so that slow clients cannot keep the others out.
 */
export class ReaderPlaces {
  readonly #readers = new Map<string, Reader>();

  constructor(private readonly options: ReaderPlacesOptions) {}

  /** Whether this owner has a place. */
  has(owner: string): boolean {
    return this.#readers.has(owner);
  }

  /**
   * Takes a place for an owner that has none. May end the response of another owner.
   * @throws AppError unavailable if all places are taken by clients that keep the pace
   */
  take(owner: string): ReaderPlace {
    if (this.#readers.size >= this.options.max) this.#endSlowest();
    const reader: Reader = { end: null, behindMs: 0, offered: null };
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

  #endSlowest(): void {
    const behind = [...this.#readers].map(([owner, reader]) => ({ owner, reader, ms: this.#behindMsOf(reader) }));
    const slowest = behind.toSorted((one, other) => other.ms - one.ms)[0];
    if (slowest === undefined || slowest.ms <= this.options.behindMsMax) throw busy();
    this.#readers.delete(slowest.owner);
    slowest.reader.end?.();
  }

  #behindMsOf({ behindMs, offered }: Reader): number {
    return behindMs + (offered === null ? 0 : this.#now() - offered.at);
  }

  #now(): number {
    return this.options.now?.() ?? performance.now();
  }
}
