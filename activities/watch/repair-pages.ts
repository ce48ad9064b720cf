/** The loops of the watcher: page by page until no item is left or the time is up, several items at once, each failure alone. */
import type { Logger } from '../../models/process/logger.js';

/** Calls to Temporal in parallel. */
const atOnce = 32;

/**
 * Works page by page. Each page begins after the last item of the page before.
 * @param until no page but the first one begins after this time
 * @param size items of a full page; a smaller page is the last one
 * @param page reads the items after the given one, works on them and returns them
 * @returns how many items there were
 */
export async function workInPages<Item>(
  until: number,
  size: number,
  page: (after: Item | undefined) => Promise<readonly Item[]>,
): Promise<number> {
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

/** The results of items that were worked on in parallel. */
export interface RepairOutcome<Item, Result> {
  done: { item: Item; result: Result }[];
  failed: Item[];
}

/**
 * Works on items in parallel. A failure does not stop the others: failed items are returned, and the first error of a page is logged.
 * @param failure the text of the log line, and what the items are
 * @throws the first error when the first items all fail, because then Temporal or the database is away
 */
export async function eachOf<Item, Result>(
  logger: Logger,
  { text, what }: { text: string; what: string },
  items: readonly Item[],
  work: (item: Item) => Promise<Result>,
): Promise<RepairOutcome<Item, Result>> {
  const outcome: RepairOutcome<Item, Result> = { done: [], failed: [] };
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
  logger.error({ err: first.err, what, failed: outcome.failed.length }, text);
  return outcome;
}

/** The log line of items that could not be repaired. */
export const repairFailure = (what: string) => ({ text: 'could not repair overdue work', what });
