import { setTimeout as rest } from 'node:timers/promises';

/** A turn of this length delays other requests by no more than a database query does. */
const sliceMs = 2;

/**
 * The items one by one. After every slice of time this rests for as long: a request takes many short turns, and each would else wait
 * for a slice.
 */
export async function* inSlices<Item>(items: Iterable<Item>): AsyncGenerator<Item, void, undefined> {
  let startedAt = performance.now();
  for (const item of items) {
    yield item;
    if (performance.now() - startedAt < sliceMs) continue;
    await rest(sliceMs);
    startedAt = performance.now();
  }
}
