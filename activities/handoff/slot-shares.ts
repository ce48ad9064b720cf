/** Leaves slots of the worker to other accounts while the calls to one account are slow. Knows the slots of one thread. */
import { slowMsOf } from '../../models/rules/routing/account-level.js';
import { queues } from '../../workflows/contract.js';
import { activitySlots } from '../support/slots.js';
import { AccountSlots, type SlotHolder, type SlotLimits } from './account-slots.js';

/**
 * How many slots one account can occupy while its calls are slow. Single messages leave a quarter of theirs to other accounts. For pages, which have
 * few, `PageSlots` adds some.
 */
const slotsOfAccountMax = { singles: activitySlots[queues.messages] * 0.75, pages: activitySlots[queues.bulk] };
/**
 * A page comes again after five to six seconds, and may then wait in the queue. One that does not come, because its batch is paused or another worker
 * has it, keeps slots free for no longer than this.
 */
const waitingMs = 15_000;

/** The shares of one thread, for each of its queues with hand-offs. */
export interface SlotSharesOfThread {
  singles: SlotShares;
  pages: SlotShares;
}

export class SlotShares {
  readonly #accounts = new Map<string, AccountSlots>();
  readonly #limits: SlotLimits;

  constructor(limits: Pick<SlotLimits, 'max'> & Partial<SlotLimits>) {
    this.#limits = { slowMs: slowMsOf(), waitingMs, ...limits };
  }

  of(account: string): AccountSlots {
    const slots = this.#accounts.get(account) ?? new AccountSlots(this.#limits);
    this.#accounts.set(account, slots);
    return slots;
  }

  /** Notes that a group waits for no account. */
  endWait(holder: SlotHolder): void {
    for (const slots of this.#accounts.values()) slots.endWait(holder);
  }

  /** How many slots have calls to slow accounts. They mostly wait, and cost little CPU. */
  get slowSlots(): number {
    const slow = [...this.#accounts.values()].filter((slots) => slots.isSlow);
    return new Set(slow.flatMap((slots) => [...slots.holders({ calling: true })])).size;
  }
}

export const slotSharesOfThread = (): SlotSharesOfThread => ({
  singles: new SlotShares({ max: slotsOfAccountMax.singles }),
  pages: new SlotShares({ max: slotsOfAccountMax.pages }),
});
