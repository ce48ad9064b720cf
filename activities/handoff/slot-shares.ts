/** Leaves slots of the worker to other accounts while the calls to one account are slow. Knows the calls of this process. */
import { slowMsOf } from '../../models/rules/routing/account-level.js';
import { queues } from '../../workflows/contract.js';
import { activitySlots } from '../support/slots.js';

/** Of the slots for single messages. One account cannot occupy the rest while its calls are slow. */
const roundsOfAccountMax = activitySlots[queues.messages] * 0.75;
/** An account counts as slow for this long after a slow round. */
const slowForMs = 60_000;

export class SlotShares {
  /** Account → when each of its running rounds began, by `performance.now()`. */
  readonly #begun = new Map<string, Set<{ at: number }>>();
  readonly #slowUntil = new Map<string, number>();
  readonly #max: number;
  readonly #slowMs: number;

  constructor({ max = roundsOfAccountMax, slowMs = slowMsOf() } = {}) {
    this.#max = max;
    this.#slowMs = slowMs;
  }

  /** Notes that a round with these accounts begins. @returns what notes its end */
  enter(accounts: readonly string[]): () => void {
    const round = { at: performance.now() };
    const own = new Set(accounts);
    for (const account of own) this.#begun.set(account, (this.#begun.get(account) ?? new Set()).add(round));
    return () => {
      const now = performance.now();
      for (const account of own) {
        this.#begun.get(account)?.delete(round);
        if (this.#isSlow(round, now)) this.#slowUntil.set(account, now + slowForMs);
      }
    };
  }

  /** Whether the account is slow, and has its share of the slots already. */
  isFull(account: string): boolean {
    const rounds = this.#begun.get(account);
    if (rounds === undefined || rounds.size < this.#max) return false;
    const now = performance.now();
    return now < (this.#slowUntil.get(account) ?? 0) || [...rounds].some((round) => this.#isSlow(round, now));
  }

  #isSlow({ at }: { at: number }, now: number): boolean {
    return now - at > this.#slowMs;
  }
}
