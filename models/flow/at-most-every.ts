/**
 * Limits how often something is done. A call soon after another one has its effect at the end of the interval, together with all others of the
 * interval.
 * @returns a function that does it now or later; a process does not wait for what is still to come
 */
export function atMostEvery(intervalMs: number, run: () => void): () => void {
  let lastAt = Number.NEGATIVE_INFINITY;
  let isPlanned = false;
  const now = () => {
    isPlanned = false;
    lastAt = performance.now();
    run();
  };
  return () => {
    if (isPlanned) return;
    const waitMs = lastAt + intervalMs - performance.now();
    if (waitMs <= 0) return now();
    isPlanned = true;
    setTimeout(now, waitMs).unref();
  };
}
