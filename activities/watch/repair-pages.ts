/** How the watcher works: page by page until nothing is left or its time is up, several at once, and a failure stops nothing but itself. */
import type { Logger } from '../../models/process/logger.js';

/** Calls to Temporal side by side. */
const atOnce = 32;

/**
 * Works page by page, each beginning after the last item of the one before it.
 * @param sliceMs no page begins later than this
 * @param size items of a full page: after one that is not full nothing is left
 * @param page takes the items after one and works on them; @returns them
 * @returns how many items there were
 */
export async function inPages<Item>(
  sliceMs: number,
  size: number,
  page: (after: Item | undefined) => Promise<readonly Item[]>,
): Promise<number> {
  const until = Date.now() + sliceMs;
  let count = 0;
  let last: Item | undefined;
  do {
    const items = await page(last);
    count += items.length;
    last = items.at(-1);
    if (items.length < size) break;
  } while (Date.now() < until);
  return count;
}

/** What became of items that were worked on side by side. */
export interface Outcome<Item, Result> {
  done: { item: Item; result: Result }[];
  failed: Item[];
}

/**
 * Works on items side by side. One that fails leaves the others alone: it is told apart, and the first failure of a page is logged.
 * @throws the first failure when all fail, after as many as are tried at once: Temporal or the database is away then
 */
export async function eachOf<Item, Result>(
  logger: Logger,
  what: string,
  items: readonly Item[],
  work: (item: Item) => Promise<Result>,
): Promise<Outcome<Item, Result>> {
  const outcome: Outcome<Item, Result> = { done: [], failed: [] };
  let first: { err: unknown } | undefined;
  const queue = items.values();
  const lane = async () => {
    for (const item of queue) {
      if (outcome.done.length === 0 && outcome.failed.length >= atOnce) {
        outcome.failed.push(item);
        continue;
      }
      try {
        outcome.done.push({ item, result: await work(item) });
      } catch (err) {
        first ??= { err };
        outcome.failed.push(item);
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(atOnce, items.length) }, lane));
  if (first === undefined) return outcome;
  if (outcome.done.length === 0) throw first.err;
  logger.error({ err: first.err, failed: outcome.failed.length }, `could not repair some ${what}`);
  return outcome;
}
