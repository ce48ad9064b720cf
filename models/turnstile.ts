import { busy } from './errors.js';

/**
 * Lets so many pieces of work run at once; the others wait for their turn.
 * @param waitingMax how many may wait; whoever comes when they do is refused with 503
 */
export function createTurnstile(most: number, waitingMax = Number.POSITIVE_INFINITY): <T>(work: () => Promise<T>) => Promise<T> {
  const waiting: (() => void)[] = [];
  let free = most;
  return async (work) => {
    if (waiting.length >= waitingMax) throw busy();
    if (free > 0) free -= 1;
    else await new Promise<void>((resolve) => waiting.push(resolve));
    try {
      return await work();
    } finally {
      const next = waiting.shift();
      if (next === undefined) free += 1;
      else next(); // takes over this turn
    }
  };
}
