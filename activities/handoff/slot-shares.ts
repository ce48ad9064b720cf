/**
 * Leaves slots of the worker to other accounts while the calls to one account are slow, and gives workspaces the same number of the slots of a slow
 * account. Knows the calls of this process.
 */
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
/** A group that gave its slot back counts as waiting for this long, unless it comes again. A page comes again after five to six seconds. */
const waitingForMs = 8_000;

/** What has the slot: an activity that hands off a group. */
export interface SlotHolder {
  groupId: string;
  /** The workspace of the group. */
  owner: string | undefined;
}

interface RunningCall {
  slot: SlotHolder;
  /** By `performance.now()`. Infinity while no call has begun. */
  begunAt: number;
}

/** The shares of one thread, for each of its queues with hand-offs. */
export interface SlotSharesOfThread {
  singles: SlotShares;
  pages: SlotShares;
}

export class SlotShares {
  /** Account → its running calls. */
  readonly #calls = new Map<string, Set<RunningCall>>();
  readonly #slowUntil = new Map<string, number>();
  /** Account → the groups that gave their slots back, and until when they count as waiting. */
  readonly #waiting = new Map<string, Map<string, Pick<SlotHolder, 'owner'> & { until: number }>>();
  readonly #max: number;
  readonly #slowMs: number;

  constructor({ max, slowMs = slowMsOf() }: { max: number; slowMs?: number }) {
    this.#max = max;
    this.#slowMs = slowMs;
  }

  /**
   * Notes that a call begins, or will begin.
   * @param slot the same object for all calls of one activity
   * @param begunAt by `performance.now()`; Infinity if it only will begin
   * @returns what notes its end
   */
  begin(account: string, slot: SlotHolder, begunAt: number): () => void {
    this.#waiting.get(account)?.delete(slot.groupId);
    const call = { slot, begunAt };
    const calls = this.#calls.get(account) ?? new Set();
    this.#calls.set(account, calls.add(call));
    return () => {
      const now = performance.now();
      calls.delete(call);
      if (this.#isSlow(call, now)) this.#slowUntil.set(account, now + slowForMs);
    };
  }

  /** Whether the account is slow, and has its share of the slots already, or a workspace with fewer of them waits. */
  isFullFor(account: string, { owner }: SlotHolder): boolean {
    const now = performance.now();
    const calls = this.#calls.get(account);
    const waiting = this.#ownersWaiting(account, now);
    if (calls === undefined || (calls.size < this.#max && waiting.size === 0)) return false;
    if (!this.#isSlowAccount(account, calls, now)) return false;
    const slots = slotsOf(calls);
    const countOf = (workspace: string | undefined) => [...slots].filter((slot) => slot.owner === workspace).length;
    const own = countOf(owner);
    return slots.size >= this.#max || [...waiting].some((other) => countOf(other) < own);
  }

  /** Notes that a group waits, because the account was full for it. */
  wait(account: string, { groupId, owner }: SlotHolder): void {
    const waiting = this.#waiting.get(account) ?? new Map();
    this.#waiting.set(account, waiting.set(groupId, { owner, until: performance.now() + waitingForMs }));
  }

  /** How many slots have calls to slow accounts. They mostly wait, and cost little CPU. */
  get slowSlots(): number {
    const now = performance.now();
    return slotsOf([...this.#calls].flatMap(([account, calls]) => (this.#isSlowAccount(account, calls, now) ? [...calls] : []))).size;
  }

  #ownersWaiting(account: string, now: number): Set<string | undefined> {
    const waiting = this.#waiting.get(account) ?? new Map();
    for (const [groupId, { until }] of waiting) if (until < now) waiting.delete(groupId);
    return new Set(Array.from(waiting.values(), ({ owner }) => owner));
  }

  #isSlowAccount(account: string, calls: ReadonlySet<RunningCall>, now: number): boolean {
    return now < (this.#slowUntil.get(account) ?? 0) || [...calls].some((call) => this.#isSlow(call, now));
  }

  #isSlow({ begunAt }: RunningCall, now: number): boolean {
    return now - begunAt > this.#slowMs;
  }
}

const slotsOf = (calls: Iterable<RunningCall>): Set<SlotHolder> => new Set(Array.from(calls, ({ slot }) => slot));

export const slotSharesOfThread = (): SlotSharesOfThread => ({
  singles: new SlotShares({ max: slotsOfAccountMax.singles }),
  pages: new SlotShares({ max: slotsOfAccountMax.pages }),
});
