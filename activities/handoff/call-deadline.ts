/** How much later than asked a timer may run in a process that is merely busy. */
const lateMs = 500;
/** After a pause of the process, so long is left to read answers that have come meanwhile. */
const catchUpMs = 3_000;

/** The time that the calls of one round have. */
export interface CallDeadline {
  signal: AbortSignal;
  /** No call is under way any more. */
  clear(): void;
}

/**
 * A signal that aborts after this time. A process that was stopped meanwhile (SIGSTOP, a frozen machine) first reads what has come: an
 * answer that lies in the socket is an answer.
 */
export function callDeadline(ms: number): CallDeadline {
  const controller = new AbortController();
  const dueAt = performance.now() + ms;
  let timer = setTimeout(() => {
    if (performance.now() - dueAt < lateMs) controller.abort();
    else timer = setTimeout(() => controller.abort(), catchUpMs);
  }, ms);
  return { signal: controller.signal, clear: () => clearTimeout(timer) };
}
