import { activityInfo, Context, heartbeat } from '@temporalio/activity';
import { withSignalOf } from './signal-of.js';

/** The details that each running activity has stored last. */
const stored = new WeakMap<Context, unknown>();

/** Stores details for the next attempt of the activity. A heartbeat replaces earlier details, so those of `withHeartbeat` repeat them. */
export function storeDetails(details: unknown): void {
  stored.set(Context.current(), details);
  heartbeat(details);
}

/**
 * Runs the work of an activity and sends heartbeats meanwhile. After a crash another worker takes over when the heartbeat timeout ends,
 * instead of the whole start-to-close timeout.
 * @param work gets a signal that is aborted when the worker stops, or when the server has given the activity to another worker. After a freeze that
 *   was longer than the heartbeat timeout it is aborted at once, before the server answers
 * @param stopping aborted when the worker has to stop; the SDK notifies its activities only after the grace time
 */
export async function withHeartbeat<T>(work: (signal: AbortSignal) => Promise<T>, stopping?: AbortSignal): Promise<T> {
  const timeoutMs = activityInfo().heartbeatTimeoutMs ?? 10_000;
  const context = Context.current();
  const lost = new AbortController();
  let beatAt = performance.now();
  const beat = () => {
    if (performance.now() - beatAt > timeoutMs) lost.abort();
    beatAt = performance.now();
    context.heartbeat(stored.get(context));
  };
  const timer = setInterval(beat, timeoutMs / 3);
  const sources = [context.cancellationSignal, lost.signal, ...(stopping === undefined ? [] : [stopping])];
  return withSignalOf(sources, work).finally(() => clearInterval(timer));
}

/** The same activities, each with heartbeats. */
export function eachWithHeartbeat<All extends Record<string, (...args: never[]) => Promise<unknown>>>(activities: All): All {
  const beating = Object.entries(activities).map(([name, run]) => [name, (...args: never[]) => withHeartbeat(() => run(...args))]);
  return Object.fromEntries(beating) as All;
}
