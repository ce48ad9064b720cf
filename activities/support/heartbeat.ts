import { activityInfo, Context, heartbeat } from '@temporalio/activity';

/**
 * Runs an activity's work while telling the server that this process is alive, so that after a crash another worker takes
 * over within the heartbeat timeout instead of the whole start-to-close timeout.
 * @param work gets a signal that is aborted when the worker stops, or the server has given the activity to another worker
 * @param stopping aborted as soon as the worker is told to stop: the SDK tells its activities only after the grace time
 */
export async function withHeartbeat<T>(work: (signal: AbortSignal) => Promise<T>, stopping?: AbortSignal): Promise<T> {
  const everyMs = (activityInfo().heartbeatTimeoutMs ?? 10_000) / 3;
  const timer = setInterval(() => heartbeat(), everyMs);
  const end = new AbortController();
  const abort = () => end.abort();
  // Not AbortSignal.any: on Node.js 20 its signals live as long as the one that never aborts.
  const sources = [Context.current().cancellationSignal, ...(stopping === undefined ? [] : [stopping])];
  for (const source of sources) {
    if (source.aborted) abort();
    else source.addEventListener('abort', abort, { once: true });
  }
  try {
    return await work(end.signal);
  } finally {
    clearInterval(timer);
    for (const source of sources) source.removeEventListener('abort', abort);
  }
}
