/** The slots of one thread that are used for one account, and the groups that wait for one. */

/** What has a slot: an activity that hands off a group. */
export interface SlotHolder {
  groupId: string;
  /** The workspace. Undefined if the workflow has no fairness key: such groups count as one workspace. */
  owner: string | undefined;
}

export interface SlotLimits {
  /** How many slots the account can occupy while its calls are slow. */
  max: number;
  /** A call that takes longer is slow. */
  slowMs: number;
  /** How long a group that gave its slot back counts as waiting, unless it comes again. */
  waitingMs: number;
}

/** The account counts as slow for this long after a slow call. */
const slowForMs = 60_000;

/** By `performance.now()`; undefined while no call has begun. */
interface SlotUse {
  holder: SlotHolder;
  begunAt: number | undefined;
}

export class AccountSlots {
  readonly #uses = new Set<SlotUse>();
  /** Group → its workspace, and until when it counts as waiting. */
  readonly #waiting = new Map<string, Pick<SlotHolder, 'owner'> & { until: number }>();
  /** Workspace → when it last got a slot. */
  readonly #servedAt = new Map<SlotHolder['owner'], number>();
  #slowUntil = 0;

  constructor(private readonly limits: SlotLimits) {}

  /** Notes that a slot will have calls to the account. @returns what notes that it has no more */
  hold(holder: SlotHolder): () => void {
    const use = { holder, begunAt: undefined };
    this.#uses.add(use);
    this.#servedAt.set(holder.owner, performance.now());
    return () => {
      this.#uses.delete(use);
      const others = [...this.holders(), ...this.#waiting.values()];
      if (!others.some(({ owner }) => owner === holder.owner)) this.#servedAt.delete(holder.owner);
    };
  }

  /** Notes that a call begins. @param holder the same object for all calls of one activity @returns what notes its end */
  beginCall(holder: SlotHolder): () => void {
    const use = { holder, begunAt: performance.now() };
    this.#uses.add(use);
    return () => {
      this.#uses.delete(use);
      const now = performance.now();
      if (this.#isSlowCall(use, now)) this.#slowUntil = now + slowForMs;
    };
  }

  /** Notes that a group waits for a slot. */
  wait({ groupId, owner }: SlotHolder): void {
    this.#waiting.set(groupId, { owner, until: performance.now() + this.limits.waitingMs });
  }

  /** Notes that a group waits no longer. */
  endWait({ groupId }: SlotHolder): void {
    this.#waiting.delete(groupId);
  }

  /** Whether a workspace can have no further slot. Only while the account is slow: its slots are taken, or other workspaces get the free ones first. */
  isFullFor(owner: SlotHolder['owner']): boolean {
    if (this.#uses.size < this.limits.max && this.#waiting.size === 0) return false;
    if (!this.isSlow) return false;
    const holders = [...this.holders()];
    return this.limits.max - holders.length <= this.#claimsBefore(owner, holders);
  }

  get isSlow(): boolean {
    const now = performance.now();
    return now < this.#slowUntil || [...this.#uses].some((use) => this.#isSlowCall(use, now));
  }

  /** The slots that are used for the account. */
  holders({ calling = false } = {}): Set<SlotHolder> {
    return new Set([...this.#uses].flatMap(({ holder, begunAt }) => (calling && begunAt === undefined ? [] : [holder])));
  }

  /**
   * How many free slots other workspaces get first: those with fewer slots up to the number of this one, and one with as many, if its last slot is
   * longer ago. Otherwise the workspace with the most waiting groups would get nearly every slot, because its groups look most often.
   */
  #claimsBefore(owner: SlotHolder['owner'], holders: readonly SlotHolder[]): number {
    const countOf = (workspace: SlotHolder['owner']) => holders.filter((holder) => holder.owner === workspace).length;
    const servedAt = (workspace: SlotHolder['owner']) => this.#servedAt.get(workspace) ?? 0;
    const own = countOf(owner);
    const mayTake = (other: SlotHolder['owner']) => {
      const less = own - countOf(other);
      return less === 0 && servedAt(other) < servedAt(owner) ? 1 : Math.max(0, less);
    };
    return [...this.#waitingOf()].reduce((sum, [other, groups]) => sum + (other === owner ? 0 : Math.min(groups, mayTake(other))), 0);
  }

  /** Workspace → its waiting groups. */
  #waitingOf(): Map<SlotHolder['owner'], number> {
    const now = performance.now();
    const counts = new Map<SlotHolder['owner'], number>();
    for (const [groupId, { owner, until }] of this.#waiting) {
      if (until < now) this.#waiting.delete(groupId);
      else counts.set(owner, (counts.get(owner) ?? 0) + 1);
    }
    return counts;
  }

  #isSlowCall({ begunAt }: SlotUse, now: number): boolean {
    return begunAt !== undefined && now - begunAt > this.limits.slowMs;
  }
}
