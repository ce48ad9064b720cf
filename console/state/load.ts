/** Data that a screen shows: loading, loaded or failed. */
import { type ReadonlySignal, useSignal } from '@preact/signals';
import { useCallback, useEffect, useRef } from 'preact/hooks';
import { type Problem, problemOf } from '../api/problem.js';

export interface Loaded<T> {
  /** Undefined until the first answer. A reload keeps the old data until the new is there. */
  data: ReadonlySignal<T | undefined>;
  isLoading: ReadonlySignal<boolean>;
  problem: ReadonlySignal<Problem | null>;
  /** Reads again. */
  reload(): void;
  /** Changes the shown data, by an event. Nothing happens while there is none. */
  update(change: (data: T) => T): void;
  /** Shows the answer to a change. A read that is under way may be older than the change: it is dropped, and begins anew. */
  replace(data: T): void;
}

/**
 * Loads data when the screen appears and whenever `key` changes. The answer to an earlier key is dropped.
 * @param key the data's identity, for example its id or its filters
 */
export function useLoad<T>(key: string, load: (signal: AbortSignal) => Promise<T>): Loaded<T> {
  const data = useSignal<T | undefined>(undefined);
  const isLoading = useSignal(true);
  const problem = useSignal<Problem | null>(null);
  const current = useRef(load);
  current.current = load;
  const running = useRef<AbortController | null>(null);

  const reload = useCallback(() => {
    running.current?.abort();
    const controller = new AbortController();
    running.current = controller;
    isLoading.value = true;
    current.current(controller.signal).then(
      (answer) => {
        if (controller.signal.aborted) return;
        data.value = answer;
        problem.value = null;
        isLoading.value = false;
      },
      (error: unknown) => {
        if (controller.signal.aborted) return;
        problem.value = problemOf(error);
        isLoading.value = false;
      },
    );
  }, [data, isLoading, problem]);

  useEffect(() => {
    data.value = undefined;
    problem.value = null;
    reload();
    return () => running.current?.abort();
  }, [key, reload, data, problem]);

  const update = useCallback(
    (change: (given: T) => T) => {
      if (data.value !== undefined) data.value = change(data.value);
    },
    [data],
  );
  const replace = useCallback(
    (next: T) => {
      data.value = next;
      if (isLoading.value) reload();
    },
    [data, isLoading, reload],
  );
  return { data, isLoading, problem, reload, update, replace };
}
