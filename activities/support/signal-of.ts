/**
 * Runs work with a signal of its own, which aborts when one of the sources aborts. The client of Temporal leaves a listener on its signal at
 * each call. Such listeners end with the work, instead of piling up on a source that lives as long as the process.
 */
export async function withSignalOf<T>(sources: readonly AbortSignal[], work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const end = new AbortController();
  const abort = () => end.abort();
  // Not AbortSignal.any: on Node.js 20 its signals are kept in memory as long as their sources.
  for (const source of sources) {
    if (source.aborted) abort();
    else source.addEventListener('abort', abort, { once: true });
  }
  try {
    return await work(end.signal);
  } finally {
    for (const source of sources) source.removeEventListener('abort', abort);
  }
}
