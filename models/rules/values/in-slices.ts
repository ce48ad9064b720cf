import { setImmediate as turn } from 'node:timers/promises';

/** Long enough that the yields cost nothing. Other bulk sends wait for many of these slices. */
const sliceMs = 5;

/** The items one by one. After every slice of time it yields to the other work of the thread. */
export async function* inSlices<Item>(items: Iterable<Item>): AsyncGenerator<Item, void, undefined> {
  let startedAt = performance.now();
  for (const item of items) {
    yield item;
    if (performance.now() - startedAt < sliceMs) continue;
    await turn();
    startedAt = performance.now();
  }
}
