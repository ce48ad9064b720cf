/** Several reasons to give up a request. */

/** @returns a signal that is aborted with the first of these, for its reason. Older browsers have no `AbortSignal.any` */
export function anySignal(...signals: readonly AbortSignal[]): AbortSignal {
  const any = new AbortController();
  for (const signal of signals) {
    const abort = () => any.abort(signal.reason);
    if (signal.aborted) abort();
    else signal.addEventListener('abort', abort, { once: true, signal: any.signal });
  }
  return any.signal;
}
