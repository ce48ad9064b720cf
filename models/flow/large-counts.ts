import type { Counting, RowCount } from '../rules/values/list-window.js';

/** A smaller number is counted at each call. */
const largeFrom = 10_000;
const ageMsMax = 30_000;
const keptMax = 1_000;

/**
 * Remembers large numbers of rows for half a minute, because counting them takes longer than reading a page. Callers that ask for the same
 * number at the same time share one count.
 */
export class LargeCounts {
  /** Oldest first. */
  readonly #kept = new Map<string, { total: Promise<number>; at: number }>();

  /** The number of rows that `key` names. */
  of(...key: readonly unknown[]): Counting {
    return (all) => this.#get(JSON.stringify(key), all);
  }

  async #get(key: string, count: () => Promise<number>): Promise<RowCount> {
    const known = this.#kept.get(key);
    if (known !== undefined && performance.now() - known.at < ageMsMax) return { total: await known.total, isFresh: false };
    const total = count();
    const entry = { total, at: performance.now() };
    this.#kept.delete(key);
    this.#kept.set(key, entry);
    const [oldest] = this.#kept.keys();
    if (this.#kept.size > keptMax && oldest !== undefined) this.#kept.delete(oldest);
    let isLarge = false;
    try {
      isLarge = (await total) >= largeFrom;
    } finally {
      if (!isLarge && this.#kept.get(key) === entry) this.#kept.delete(key);
    }
    return { total: await total, isFresh: true };
  }
}
