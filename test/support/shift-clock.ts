/**
 * Preload (`--import`) of a process whose clock is to be wrong: `Date` is shifted by the milliseconds that stand in the file
 * `CLOCK_SHIFT_FILE`, read again every 100 ms, in each thread of the process. `performance.now`, timers and what is not JavaScript
 * (Temporal's core) keep their pace, as after a step of the system's clock.
 */
import { readFileSync } from 'node:fs';

const readEveryMs = 100;
const file = process.env.CLOCK_SHIFT_FILE;
const RealDate = Date;
let shiftMs = 0;

class ShiftedDate extends RealDate {
  constructor(...given: unknown[]) {
    // An argument is a moment that somebody names; only "now" is wrong.
    super(...((given.length === 0 ? [ShiftedDate.now()] : given) as [number]));
  }

  static override now(): number {
    return RealDate.now() + shiftMs;
  }
}

/** `Date()` without `new` is a text. */
const shifted = new Proxy(ShiftedDate, { apply: () => new ShiftedDate().toString() });

function read(path: string): void {
  try {
    const given = Number(readFileSync(path, 'utf8'));
    if (Number.isFinite(given)) shiftMs = given;
  } catch {
    shiftMs = 0; // no file: the clock is right
  }
}

if (file !== undefined) {
  read(file);
  setInterval(() => read(file), readEveryMs).unref();
  globalThis.Date = shifted as unknown as DateConstructor;
}
