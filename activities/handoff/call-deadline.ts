import { setMaxListeners } from 'node:events';

/** How late a timer may be in a busy process. A later one means that the process was suspended. */
const suspendedAfterMs = 500;
/** After a suspension, time to read answers that arrived meanwhile. */
const catchUpMs = 3_000;

/** A deadline of calls. */
export interface CallDeadline {
  signal: AbortSignal;
  /** To be called when all calls have ended. */
  clear(): void;
}

/**
 * A signal that aborts after this time. A process that was suspended meanwhile (SIGSTOP, a frozen machine) first reads the answers that wait
 * in its sockets.
 */
export function callDeadline(ms: number): CallDeadline {
  const controller = new AbortController();
  const dueAt = performance.now() + ms;
  let timer = setTimeout(() => {
    if (performance.now() - dueAt < suspendedAfterMs) controller.abort();
    else timer = setTimeout(() => controller.abort(), catchUpMs);
  }, ms);
  return { signal: controller.signal, clear: () => clearTimeout(timer) };
}

/** The deadlines of the calls of one round: one for each time that a call may last. @param calls their number */
export function callDeadlines(calls: number): { signalAfter: (ms: number) => AbortSignal; clear: () => void } {
  const deadlines = new Map<number, CallDeadline>();
  return {
    signalAfter: (ms) => {
      const deadline = deadlines.get(ms) ?? callDeadline(ms);
      deadlines.set(ms, deadline);
      setMaxListeners(calls, deadline.signal); // one for each call
      return deadline.signal;
    },
    clear: () => deadlines.forEach((deadline) => deadline.clear()),
  };
}
