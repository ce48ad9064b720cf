import { activityInfo } from '@temporalio/activity';
import type { Channel } from '../../models/channels.js';
import type { Choices } from '../../models/operations/handoff/claim-handoffs.js';
import { dueUnits } from '../../models/operations/handoff/provider-pace.js';
import type { SlotHolder } from './account-slots.js';
import type { AccountConnections } from './account-connections.js';
import type { RoundDeps } from './round-deps.js';
import type { SlotShares } from './slot-shares.js';

/** How many due messages are looked at for their accounts. */
const unitsMax = 25;

/** The slot of an activity that hands off a group. Other groups get it while the accounts of the group are slow and have their shares of the slots. */
export class GroupSlot implements SlotHolder {
  readonly groupId: string;
  readonly inBatch: boolean;
  /** Workspaces share the queue by this key. */
  readonly owner = activityInfo().priority?.fairnessKey;
  readonly #deps: Pick<RoundDeps, 'db' | 'waits' | 'connections'>;
  readonly #shares: SlotShares;
  #held: { account: string; leave: () => void } | undefined;

  constructor(deps: RoundDeps, { groupId, batchId }: { groupId: string; batchId: string | undefined }) {
    this.#deps = deps;
    this.groupId = groupId;
    this.inBatch = batchId !== undefined;
    this.#shares = this.inBatch ? deps.slots.pages : deps.slots.singles;
  }

  /**
   * Asks whether the group may keep its slot. A page that may not counts as waiting for one. Asks the database only while an account has used up its
   * share of the slots, or pages wait for it.
   * @param channel of a page
   */
  async take(choices: Choices, channel: Channel | null): Promise<boolean> {
    this.#shares.endWait(this);
    const isFull = ({ account }: { account: string }) => this.#shares.of(account).isFullFor(this.owner);
    const ofGroup = channel === null ? Object.values(choices) : [choices[channel]];
    const accounts = ofGroup.flatMap((choice) => choice.accounts);
    if (accounts.some(isFull)) {
      const { db, waits } = this.#deps;
      const due = await dueUnits(db, this.groupId, choices, { limit: unitsMax, except: [], waits });
      // A page that also has messages for other accounts goes on: they would wait with it.
      const mustYield = this.inBatch ? due.length > 0 && due.every(isFull) : due.some(isFull);
      if (mustYield && this.inBatch) for (const { account } of due) this.#shares.of(account).wait(this);
      if (mustYield) return false;
    }
    // At once: pages that take slots at the same time would otherwise not see each other before their calls.
    if (channel !== null) this.hold(accounts[0]?.account);
    return true;
  }

  /** Counts the slot of a page for the account that it calls next, and not for the one before. */
  hold(account: string | undefined): void {
    if (account === this.#held?.account) return;
    this.leave();
    if (account !== undefined) this.#held = { account, leave: this.#shares.of(account).hold(this) };
  }

  /** @returns what notes the end of the call */
  beginCall(account: string): () => void {
    const ends = [this.#shares.of(account).beginCall(this), this.#deps.connections.of(account).beginCall()];
    return () => ends.forEach((end) => end());
  }

  /** Counts the slot for the account while it waits for a connection, like a call. */
  waitAt<Entered>(account: string, wait: (connections: AccountConnections) => Promise<Entered>): Promise<Entered> {
    return wait(this.#deps.connections.of(account)).finally(this.#shares.of(account).beginCall(this));
  }

  /** Counts the slot for no account. */
  leave(): void {
    this.#held?.leave();
    this.#held = undefined;
  }
}
