/** @returns null where the browser refuses its storage: to a frame of another site */
export function stored<T>(work: () => T): T | null {
  try {
    return work();
  } catch {
    return null;
  }
}
