import { setImmediate as turn } from 'node:timers/promises';

/** Long enough that the turns cost nothing; other bulk sends wait for many of them. */
const sliceMs = 5;

/** The items one by one. After every slice of time whatever else the thread has to do has its turn. */
export async function* inSlices<Item>(items: Iterable<Item>): AsyncGenerator<Item, void, undefined> {
  let startedAt = performance.now();
  for (const item of items) {
    yield item;
    if (performance.now() - startedAt < sliceMs) continue;
    await turn();
    startedAt = performance.now();
  }
}
