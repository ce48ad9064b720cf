import { activityInfo } from '@temporalio/activity';
import type { Choices } from '../../models/operations/handoff/claim-handoffs.js';
import { dueUnits } from '../../models/operations/handoff/provider-pace.js';
import type { RoundDeps } from './round-deps.js';
import type { SlotHolder, SlotShares } from './slot-shares.js';

/** As many due messages are asked for their accounts. */
const askedMax = 25;

/** The slot of an activity that hands off a group. Others get it if its accounts are slow, and have their shares of the slots. */
export class Slot implements SlotHolder {
  readonly groupId: string;
  readonly inBatch: boolean;
  /** Workspaces share a queue by this key, and the slots of a slow account, too. */
  readonly owner = activityInfo().priority?.fairnessKey;
  readonly #deps: Pick<RoundDeps, 'db' | 'waits'>;
  readonly #shares: SlotShares;
  #leave = () => {};

  constructor({ db, waits, slots }: RoundDeps, { groupId, batchId }: { groupId: string; batchId: string | undefined }) {
    this.#deps = { db, waits };
    this.groupId = groupId;
    this.inBatch = batchId !== undefined;
    this.#shares = this.inBatch ? slots.pages : slots.singles;
  }

  /**
   * Keeps the slot until `leave`, unless others need it. Costs nothing while no account has used up its share.
   * @param account of the page; undefined for single messages
   * @returns whether the group may go on
   */
  async take(choices: Choices, account: string | undefined): Promise<boolean> {
    const isFull = (choice: { account: string }) => this.#shares.isFullFor(choice.account, this);
    if (Object.values(choices).some(({ accounts }) => accounts.some(isFull))) {
      const { db, waits } = this.#deps;
      const due = await dueUnits(db, this.groupId, choices, { limit: askedMax, except: [], waits });
      // A page that also has messages for other accounts goes on: they would wait with it.
      const mustYield = this.inBatch ? due.length > 0 && due.every(isFull) : due.some(isFull);
      if (mustYield && this.inBatch) for (const choice of due) this.#shares.wait(choice.account, this);
      if (mustYield) return false;
    }
    // Pages that take slots at the same time would otherwise not see each other before their calls.
    if (account !== undefined) this.#leave = this.#shares.begin(account, this, Number.POSITIVE_INFINITY);
    return true;
  }

  /** @returns what notes the end of the call */
  beginCall(account: string): () => void {
    return this.#shares.begin(account, this, performance.now());
  }

  leave(): void {
    this.#leave();
  }
}
