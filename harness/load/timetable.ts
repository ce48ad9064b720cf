/** The timetable of sends at a fixed rate. */
import { setImmediate as immediate, setTimeout as sleep } from 'node:timers/promises';

export interface Due {
  /** Counted from 0. */
  number: number;
  /** How long ago the send was due. The process may be late because of other work. */
  delayMs: number;
}

/** Yields evenly spaced sends at this rate, each when it is due. Late ones are yielded immediately, in order. */
export async function* timetable(seconds: number, perSecond: number): AsyncGenerator<Due> {
  const startedAt = performance.now();
  const count = Math.round(seconds * perSecond);
  for (let number = 0; number < count; number += 1) {
    const dueAt = startedAt + (number * 1000) / perSecond;
    const dueInMs = dueAt - performance.now();
    if (dueInMs > 1) await sleep(dueInMs);
    else await immediate(); // responses must be read between two sends, even when the sends are late
    yield { number, delayMs: performance.now() - dueAt };
  }
}
