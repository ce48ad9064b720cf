/** Hooks for the stream of events, and for work that must not happen too often. */
import { useEffect, useRef } from 'preact/hooks';
import { listen, type MessageEvent, streamBegun, type StreamListener } from '../api/stream.js';
import { useLatest } from './latest.js';
import { type Loaded, useLoad } from './load.js';

/** As `useLoad`, for a screen that listens: it reads when the stream has begun, so that it need not read again then. */
export const useLiveLoad = <T>(key: string, load: (signal: AbortSignal) => Promise<T>): Loaded<T> => useLoad(key, load, streamBegun);

/** Calls the newest handlers for each event while the screen is shown. */
export function useEvents(handlers: StreamListener): void {
  const latest = useLatest(handlers);
  useEffect(
    () =>
      listen({
        event: (event: MessageEvent) => latest.current.event(event),
        reset: () => latest.current.reset(),
      }),
    [],
  );
}

/**
 * A function that runs `work` at most once in this time: at the first call, and once more after the last one.
 * The rate limit of the API counts every request of the workspace.
 */
export function useThrottle(work: () => void, everyMs: number): () => void {
  const latest = useLatest(work);
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  const last = useRef(-Infinity);
  useEffect(() => () => clearTimeout(timer.current), []);
  return () => {
    clearTimeout(timer.current);
    const run = () => {
      last.current = performance.now();
      latest.current();
    };
    const wait = last.current + everyMs - performance.now();
    if (wait <= 0) run();
    else timer.current = setTimeout(run, wait);
  };
}

/** When something is read again that has no events. */
const pollDelaysMs = [1_000, 3_000, 10_000, 30_000] as const;

/**
 * Reads again, a few times, what changes without events.
 * @param key undefined: nothing is awaited; the reads begin again when it changes
 */
export function usePolling(key: string | undefined, read: () => void): void {
  const latest = useLatest(read);
  useEffect(() => {
    if (key === undefined) return undefined;
    const timers = pollDelaysMs.map((ms) => setTimeout(() => latest.current(), ms));
    return () => timers.forEach(clearTimeout);
  }, [key]);
}
