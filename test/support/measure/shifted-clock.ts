/** Clocks that differ or jump. */

/** Runs the work while `Date.now()` of this process is apart from the real time, as after a step of the clock. */
export async function withClockShifted<T>(byMs: number, work: () => Promise<T>): Promise<T> {
  const realNow = Date.now;
  Date.now = () => realNow() + byMs;
  try {
    return await work();
  } finally {
    Date.now = realNow;
  }
}
