import { busy } from '../errors.js';

export interface ByteRoomOptions {
  /** Bytes that are held at once, in all and of one owner. */
  most: number;
  mostOfOwner: number;
  /** Owners with no more than this have room also when others have taken all. */
  little: number;
}

/** What one piece of work holds. */
export interface Held {
  /** @throws AppError 503 when there is no room */
  take(bytes: number): void;
  release(): void;
}

/** Counts bytes that a process keeps for others, so that nobody fills its memory. */
export class ByteRoom {
  readonly #ofOwners = new Map<string, number>();
  #all = 0;

  constructor(private readonly options: ByteRoomOptions) {}

  holdFor(owner: string): Held {
    let own = 0;
    return {
      take: (bytes) => {
        const { most, mostOfOwner, little } = this.options;
        const held = (this.#ofOwners.get(owner) ?? 0) + bytes;
        if (held > mostOfOwner || (this.#all + bytes > most && held > little)) throw busy();
        own += bytes;
        this.#add(owner, bytes);
      },
      release: () => {
        this.#add(owner, -own);
        own = 0;
      },
    };
  }

  #add(owner: string, bytes: number): void {
    this.#all += bytes;
    const held = (this.#ofOwners.get(owner) ?? 0) + bytes;
    if (held > 0) this.#ofOwners.set(owner, held);
    else this.#ofOwners.delete(owner);
  }
}
