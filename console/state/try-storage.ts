/** @returns null if the browser refuses its storage, as in a frame of another site */
export function tryStorage<T>(work: () => T): T | null {
  try {
    return work();
  } catch {
    return null;
  }
}

/** Whether the browser gives the page any. Without it, the console cannot keep a session. */
export const hasStorage: boolean = tryStorage(() => localStorage) !== null;
