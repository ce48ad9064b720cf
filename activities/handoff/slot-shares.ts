/** Leaves slots of the worker to other accounts while the calls to one account are slow. Knows the calls of this process. */
import { slowMsOf } from '../../models/rules/routing/account-level.js';
import { queues } from '../../workflows/contract.js';
import { activitySlots } from '../support/slots.js';

/** Of the slots for single messages. One account cannot occupy the rest while its calls are slow. */
const slotsOfAccountMax = activitySlots[queues.messages] * 0.75;
/** An account counts as slow for this long after a slow call. */
const slowForMs = 60_000;

interface RunningCall {
  slot: object;
  /** By `performance.now()`. */
  begunAt: number;
}

export class SlotShares {
  /** Account → its running calls, oldest first. */
  readonly #calls = new Map<string, Set<RunningCall>>();
  readonly #slowUntil = new Map<string, number>();
  readonly #max: number;
  readonly #slowMs: number;

  constructor({ max = slotsOfAccountMax, slowMs = slowMsOf() } = {}) {
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
    const now = performance.now();
    const [oldest] = calls as Iterable<RunningCall>;
    const isSlow = now < (this.#slowUntil.get(account) ?? 0) || (oldest !== undefined && this.#isSlow(oldest, now));
    return isSlow && new Set(Array.from(calls, ({ slot }) => slot)).size >= this.#max;
  }

  #isSlow({ begunAt }: RunningCall, now: number): boolean {
    return now - begunAt > this.#slowMs;
  }
}
