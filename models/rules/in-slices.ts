import { setImmediate as nextTurn } from 'node:timers/promises';

/** A turn of this length delays other requests by no more than a database query does. */
const sliceMs = 2;

/** The items one by one; between them other work of the process has its turn whenever this has been at it for a slice. */
export async function* inSlices<Item>(items: Iterable<Item>): AsyncGenerator<Item, void, undefined> {
  let startedAt = performance.now();
  for (const item of items) {
    yield item;
    if (performance.now() - startedAt < sliceMs) continue;
    await nextTurn();
    startedAt = performance.now();
  }
}
