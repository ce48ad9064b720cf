/**
 * A clock that is wrong, as that of a machine without NTP. A test shifts its own process; a child process that has `shiftedEnv` among its
 * settings is shifted from its start on. Timers and `performance.now()` stay right, as they do on such a machine.
 */
const RealDate = Date;

/**
 * Shifts `Date` in this process, and with it the ids that begin with the time.
 * @param byMs milliseconds; negative: behind
 * @returns sets the clock right again
 */
export function shiftClock(byMs: number): () => void {
  const now = () => RealDate.now() + byMs;
  globalThis.Date = new Proxy(RealDate, {
    construct: (_target, given: unknown[]) => new RealDate(...((given.length === 0 ? [now()] : given) as [number])),
    apply: () => new RealDate(now()).toString(),
    get: (target, name) => (name === 'now' ? now : Reflect.get(target, name)),
  });
  return () => {
    globalThis.Date = RealDate;
  };
}

/** Settings of a child process whose clock is wrong by so much. */
export const shiftedEnv = (byMs: number) => ({ NODE_OPTIONS: `--import ${import.meta.url}`, CLOCK_SHIFT_MS: String(byMs) });

const { CLOCK_SHIFT_MS } = process.env;
if (CLOCK_SHIFT_MS !== undefined) shiftClock(Number(CLOCK_SHIFT_MS));
