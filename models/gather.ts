/**
 * Group commit: while one write is under way the next items gather, and go together as the next one. An item that finds nothing
 * under way goes at once, so that gathering costs no time when there is nothing to gather.
 */
export class Gather<Item, Result> {
  #waiting: { item: Item; resolve: (result: Result) => void; reject: (error: unknown) => void }[] = [];
  #running = false;

  /**
   * @param write writes the items in one go and returns their results in the same order
   * @param most items that may go together
   */
  constructor(
    private readonly write: (items: Item[]) => Promise<Result[]>,
    private readonly most: number,
  ) {}

  /** Resolves when the item is written; rejects when its group could not be. */
  add(item: Item): Promise<Result> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ item, resolve, reject });
      if (!this.#running) void this.#run();
    });
  }

  async #run(): Promise<void> {
    this.#running = true;
    while (this.#waiting.length > 0) {
      const group = this.#waiting.splice(0, this.most);
      try {
        const results = await this.write(group.map(({ item }) => item));
        for (const [index, { resolve }] of group.entries()) resolve(results[index] as Result);
      } catch (error) {
        for (const { reject } of group) reject(error);
      }
    }
    this.#running = false;
  }
}
