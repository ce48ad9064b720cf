/** The connections of one thread to each account. A call that waited for one would use up its time, and count as slow. */
import type { Providers } from './providers/provider.js';

/** How long, and until which signal, a round waits. */
export interface ConnectionWait {
  ms: number;
  signal: AbortSignal;
}

/** The calls of one thread to one account, and the rounds that wait to begin theirs. */
export class AccountConnections {
  #calls = 0;
  #reserved = 0;
  /** What lets each waiting round begin, in their order. */
  readonly #waiting = new Set<() => void>();

  /** @param max how many calls the account takes at once */
  constructor(private readonly max: number) {}

  /** Whether this many calls find a connection each, or every connection is free. */
  hasFor(calls: number): boolean {
    return this.#calls + this.#reserved + Math.min(calls, this.max) <= this.max;
  }

  /** The account has fewer connections than this. */
  areFewerThan(calls: number): boolean {
    return this.max < calls;
  }

  /** Whether a round may begin. Its calls may be more than the free connections: the next calls are then ready when one becomes free. */
  get hasFree(): boolean {
    return this.#calls + this.#reserved < this.max;
  }

  /** Notes that a call begins. @returns what notes its end */
  beginCall(): () => void {
    this.#calls += 1;
    return () => {
      this.#calls -= 1;
      this.#admit();
    };
  }

  /**
   * Waits until a round may begin, and reserves its calls until they begin.
   * @returns what ends the reservation; undefined if the round may not begin in time
   */
  reserveInTurn(calls: number, { ms, signal }: ConnectionWait): Promise<(() => void) | undefined> {
    if (this.hasFree) return Promise.resolve(this.reserve(calls));
    if (signal.aborted) return Promise.resolve(undefined);
    return new Promise((resolve) => {
      const end = (reservation: (() => void) | undefined) => {
        clearTimeout(timer);
        signal.removeEventListener('abort', giveUp);
        this.#waiting.delete(begin);
        resolve(reservation);
      };
      const begin = () => end(this.reserve(calls));
      const giveUp = () => end(undefined);
      const timer = setTimeout(giveUp, ms);
      signal.addEventListener('abort', giveUp);
      this.#waiting.add(begin);
    });
  }

  /** Reserves calls that begin soon. @returns what ends the reservation, which may be called again */
  reserve(calls: number): () => void {
    this.#reserved += calls;
    let left = calls;
    return () => {
      this.#reserved -= left;
      left = 0;
      this.#admit();
    };
  }

  #admit(): void {
    for (const begin of this.#waiting) {
      if (!this.hasFree) break;
      begin();
    }
  }
}

/** The connections of one thread. An account that is not in the settings always has free ones: it is not called. */
export class ConnectionsOfThread {
  readonly #byAccount = new Map<string, AccountConnections>();

  constructor(private readonly accounts: Providers['accounts']) {}

  of(account: string): AccountConnections {
    const connections =
      this.#byAccount.get(account) ?? new AccountConnections(this.accounts.get(account)?.connectionsMax ?? Number.POSITIVE_INFINITY);
    this.#byAccount.set(account, connections);
    return connections;
  }
}
