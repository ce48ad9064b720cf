/** When sends at a fixed rate are due, whatever becomes of those before. */
import { setImmediate as immediate, setTimeout as sleep } from 'node:timers/promises';

export interface Due {
  /** from 0 */
  number: number;
  /** How long ago it was due: this process has other work too. */
  lateMs: number;
}

/** Yields so many a second for so long, evenly spaced, each when it is due; late ones at once, in their order. */
export async function* timetable(seconds: number, perSecond: number): AsyncGenerator<Due> {
  const startedAt = performance.now();
  for (let number = 0; number < seconds * perSecond; number += 1) {
    const dueAt = startedAt + (number * 1000) / perSecond;
    const dueInMs = dueAt - performance.now();
    if (dueInMs > 1) await sleep(dueInMs);
    else await immediate(); // answers are to be read between two sends, however late they are
    yield { number, lateMs: performance.now() - dueAt };
  }
}
