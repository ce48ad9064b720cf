/**
 * What was put into the screens when a session ended. It is there again when the same workspace logs in again in this tab. It is only in the
 * memory of the page, so that it ends with the tab.
 */
import { type Signal, useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { useLatest } from './latest.js';

/** Of the screens that are shown: key → reads the value. */
const shown = new Map<string, () => unknown>();
let kept: { workspaceId: string; values: Map<string, unknown> } | null = null;

/** Reads what the screens of this workspace have now. */
export function keepInput(workspaceId: string): void {
  kept = { workspaceId, values: new Map([...shown].map(([key, read]) => [key, read()])) };
}

/** @param workspaceId what belongs to this one stays; null: nothing stays */
export function forgetInput(workspaceId: string | null): void {
  if (kept?.workspaceId !== workspaceId) kept = null;
}

/**
 * Keeps a value of a screen beyond the session.
 * @param name names it in its screen
 * @param read undefined: there is nothing to keep
 * @param restore gets it once, when the screen appears again at its address
 */
export function useKept<T>(name: string, read: () => T | undefined, restore: (value: T) => void): void {
  const latest = useLatest(read);
  useEffect(() => {
    const key = `${location.pathname}${location.search} ${name}`;
    const found = kept?.values.get(key) as T | undefined;
    kept?.values.delete(key);
    if (found !== undefined) restore(found);
    const source = () => latest.current();
    shown.set(key, source);
    return () => void (shown.get(key) === source && shown.delete(key));
  }, []);
}

/** A signal of a screen whose value is kept beyond the session, see `useKept`. */
export function useKeptSignal<T>(name: string, initial: T): Signal<T> {
  const signal = useSignal(initial);
  useKept<T>(
    name,
    () => signal.value,
    (kept) => (signal.value = kept),
  );
  return signal;
}
