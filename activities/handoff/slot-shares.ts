/** Leaves slots of the worker to other accounts while the calls to one account are slow. Knows the calls of this process. */
import { slowMsOf } from '../../models/rules/routing/account-level.js';
import { queues } from '../../workflows/contract.js';
import { activitySlots } from '../support/slots.js';

/**
 * How many slots one account can occupy while its calls are slow. Single messages leave a quarter of theirs to other accounts. For pages, which have
 * few, `PageSlots` adds some.
 */
const slotsOfAccountMax = { singles: activitySlots[queues.messages] * 0.75, pages: activitySlots[queues.bulk] };
/** An account counts as slow for this long after a slow call. */
const slowForMs = 60_000;

interface RunningCall {
  slot: object;
  /** By `performance.now()`. */
  begunAt: number;
}

/** The shares of one thread, for each of its queues with hand-offs. */
export interface SlotSharesOfThread {
  singles: SlotShares;
  pages: SlotShares;
}

export class SlotShares {
  /** Account → its running calls, oldest first. */
  readonly #calls = new Map<string, Set<RunningCall>>();
  readonly #slowUntil = new Map<string, number>();
  readonly #max: number;
  readonly #slowMs: number;

  constructor({ max, slowMs = slowMsOf() }: { max: number; slowMs?: number }) {
    this.#max = max;
    this.#slowMs = slowMs;
  }

  /**
   * Notes that a call begins.
   * @param slot the same object for all calls of one activity
   * @returns what notes its end
   */
  begin(account: string, slot: object): () => void {
    const call = { slot, begunAt: performance.now() };
    const calls = this.#calls.get(account) ?? new Set();
    this.#calls.set(account, calls.add(call));
    return () => {
      const now = performance.now();
      calls.delete(call);
      if (this.#isSlow(call, now)) this.#slowUntil.set(account, now + slowForMs);
    };
  }

  /** Whether the account is slow, and has its share of the slots already. */
  isFull(account: string): boolean {
    const calls = this.#calls.get(account);
    if (calls === undefined || calls.size < this.#max) return false;
    return this.#isSlowAccount(account, calls, performance.now()) && slotsOf(calls).size >= this.#max;
  }

  /** How many slots have calls to slow accounts. They mostly wait, and cost little CPU. */
  get slowSlots(): number {
    const now = performance.now();
    return slotsOf([...this.#calls].flatMap(([account, calls]) => (this.#isSlowAccount(account, calls, now) ? [...calls] : []))).size;
  }

  #isSlowAccount(account: string, calls: ReadonlySet<RunningCall>, now: number): boolean {
    const [oldest] = calls;
    return now < (this.#slowUntil.get(account) ?? 0) || (oldest !== undefined && this.#isSlow(oldest, now));
  }

  #isSlow({ begunAt }: RunningCall, now: number): boolean {
    return now - begunAt > this.#slowMs;
  }
}

const slotsOf = (calls: Iterable<RunningCall>): Set<object> => new Set(Array.from(calls, ({ slot }) => slot));

export const slotSharesOfThread = (): SlotSharesOfThread => ({
  singles: new SlotShares({ max: slotsOfAccountMax.singles }),
  pages: new SlotShares({ max: slotsOfAccountMax.pages }),
});
