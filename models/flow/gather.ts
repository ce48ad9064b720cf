interface Waiting<Item, Result> {
  item: Item;
  since: number;
  resolve: (result: Result) => void;
  reject: (error: unknown) => void;
}

export interface GatherOptions<Item> {
  /** Most items that go together. */
  most: number;
  /** Writes under way at once; 1 when not given. */
  lanes?: number;
  /** A write that takes longer than this frees its lane for others beside it; without limit when not given. */
  lateMs?: number;
  /** Items with the same share take turns with those of others, so that nobody's many items keep out anybody's few. */
  shareOf?: (item: Item) => string;
  /** A write takes items of one share only. */
  isApart?: boolean;
  /** Items that have waited longer than this are not written any more; without limit when not given. */
  waitMsMax?: number;
}

/** The item was not written: what waits before it takes too long already. */
export class WaitedTooLong extends Error {}

/**
 * Group commit: while the lanes are busy the next items gather, and go together as the next write. An item that finds a free lane
 * goes at once, so that gathering costs no time when there is nothing to gather.
 */
export class Gather<Item, Result> {
  readonly #waiting = new Map<string, Waiting<Item, Result>[]>();
  #busy = 0;
  #late = 0;

  /** @param write writes the items in one go and returns their results in the same order */
  constructor(
    private readonly write: (items: Item[]) => Promise<Result[]>,
    private readonly options: GatherOptions<Item>,
  ) {}

  /**
   * Resolves when the item is written.
   * @throws what the write of its group threw, or WaitedTooLong
   */
  add(item: Item): Promise<Result> {
    return new Promise((resolve, reject) => {
      const share = this.options.shareOf?.(item) ?? '';
      const queue = this.#waiting.get(share) ?? [];
      this.#waiting.set(share, queue);
      queue.push({ item, since: performance.now(), resolve, reject });
      if (this.#busy < this.#lanes) void this.#work();
    });
  }

  get #lanes(): number {
    return (this.options.lanes ?? 1) + this.#late;
  }

  async #work(): Promise<void> {
    this.#busy += 1;
    while (this.#busy <= this.#lanes) {
      const group = this.#take();
      if (group.length === 0) break;
      await this.#writeGroup(group);
    }
    this.#busy -= 1;
  }

  /** The oldest of each share in turn. */
  #take(): Waiting<Item, Result>[] {
    const { most, isApart, waitMsMax = Number.POSITIVE_INFINITY } = this.options;
    const group: Waiting<Item, Result>[] = [];
    for (const [share, queue] of this.#waiting) {
      if (group.length === most) break;
      this.#waiting.delete(share);
      const next = queue.shift();
      // A share that has more goes to the back, where this loop meets it again.
      if (queue.length > 0) this.#waiting.set(share, queue);
      if (next === undefined) continue;
      if (performance.now() - next.since > waitMsMax) next.reject(new WaitedTooLong());
      else group.push(next);
      if (isApart === true && group.length > 0) return this.#fill(group, share);
    }
    return group;
  }

  /** The group with more of this share. */
  #fill(group: Waiting<Item, Result>[], share: string): Waiting<Item, Result>[] {
    const queue = this.#waiting.get(share) ?? [];
    group.push(...queue.splice(0, this.options.most - group.length));
    if (queue.length === 0) this.#waiting.delete(share);
    return group;
  }

  async #writeGroup(group: Waiting<Item, Result>[]): Promise<void> {
    const ended = this.#countWhenLate();
    try {
      const results = await this.write(group.map(({ item }) => item));
      for (const [index, { resolve }] of group.entries()) resolve(results[index] as Result);
    } catch (error) {
      for (const { reject } of group) reject(error);
    } finally {
      ended();
    }
  }

  /** @returns to be called when the write has ended */
  #countWhenLate(): () => void {
    const { lateMs } = this.options;
    if (lateMs === undefined) return () => undefined;
    let isLate = false;
    const timer = setTimeout(() => {
      isLate = true;
      this.#late += 1;
      void this.#work();
    }, lateMs);
    return () => {
      clearTimeout(timer);
      if (isLate) this.#late -= 1;
    };
  }
}
