/** A timeout that can also be cancelled. */

/**
 * Runs `work` with a signal that aborts when `parent` does, or with a TimeoutError after `timeoutMs`.
 * `AbortSignal.any` with `AbortSignal.timeout` does not work: Node 20 garbage-collects the timeout, and it never fires.
 */
export async function withDeadline<T>(parent: AbortSignal, timeoutMs: number, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const controller = new AbortController();
  const follow = () => controller.abort(parent.reason);
  const timer = setTimeout(() => controller.abort(new DOMException(`not done within ${timeoutMs / 1000} s`, 'TimeoutError')), timeoutMs);
  if (parent.aborted) follow();
  parent.addEventListener('abort', follow);
  try {
    return await work(controller.signal);
  } finally {
    clearTimeout(timer);
    parent.removeEventListener('abort', follow);
  }
}
