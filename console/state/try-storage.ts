/** @returns null if the browser refuses its storage, as in a frame of another site */
export function tryStorage<T>(work: () => T): T | null {
  try {
    return work();
  } catch {
    return null;
  }
}
