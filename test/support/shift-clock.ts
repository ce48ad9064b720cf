/**
 * A wrong clock, like that of a machine without NTP. A test shifts its own process. A child process that preloads this file
 * (`--import`, see `shiftedEnv`) is shifted by the milliseconds in `CLOCK_SHIFT_MS`, or by those in the file `CLOCK_SHIFT_FILE`, which is
 * read again every 100 ms. Each thread of the process is shifted. Timers, `performance.now()` and native code (Temporal's core) are
 * not affected, as after a step of the system clock.
 */
import { readFileSync } from 'node:fs';

const readEveryMs = 100;
const RealDate = Date;
let shiftMs = 0;

const now = () => RealDate.now() + shiftMs;
const shifted = new Proxy(RealDate, {
  // A date with arguments is not shifted; only the current time is.
  construct: (_target, given: unknown[]) => new RealDate(...((given.length === 0 ? [now()] : given) as [number])),
  apply: () => new RealDate(now()).toString(),
  get: (target, name) => (name === 'now' ? now : Reflect.get(target, name)),
});

/**
 * Shifts `Date` in this process, and with it the ids that begin with the time.
 * @param byMs milliseconds; negative: behind
 * @returns a function that resets the clock
 */
export function shiftClock(byMs: number): () => void {
  shiftMs = byMs;
  globalThis.Date = shifted;
  return () => {
    globalThis.Date = RealDate;
  };
}

/**
 * Moves `performance.now()` of this process forward, as if so much time had passed.
 * @returns a function that moves it back
 */
export function letTimePass(ms: number): () => void {
  const real = performance.now;
  performance.now = () => real.call(performance) + ms;
  return () => {
    performance.now = real;
  };
}

/** Runs one step as a process would whose clock is wrong by so many milliseconds. */
export async function withClock<Result>(byMs: number, step: () => Promise<Result>): Promise<Result> {
  const setRight = shiftClock(byMs);
  try {
    return await step();
  } finally {
    setRight();
  }
}

/** The environment of a child process whose clock is shifted. */
export const shiftedEnv = (byMs: number) => ({ NODE_OPTIONS: `--import ${import.meta.url}`, CLOCK_SHIFT_MS: String(byMs) });

/** The environment of a child process whose clock is shifted by the milliseconds in this file. */
export const clockFileEnv = (path: string) => ({ NODE_OPTIONS: `--import ${import.meta.url}`, CLOCK_SHIFT_FILE: path });

/** The shift in the file; 0 without a file or number. */
function shiftOf(path: string): number {
  try {
    const given = Number(readFileSync(path, 'utf8'));
    return Number.isFinite(given) ? given : 0;
  } catch {
    return 0;
  }
}

const { CLOCK_SHIFT_MS, CLOCK_SHIFT_FILE } = process.env;
if (CLOCK_SHIFT_MS !== undefined) shiftClock(Number(CLOCK_SHIFT_MS));
if (CLOCK_SHIFT_FILE !== undefined) {
  shiftClock(shiftOf(CLOCK_SHIFT_FILE));
  setInterval(() => shiftClock(shiftOf(CLOCK_SHIFT_FILE)), readEveryMs).unref();
}
