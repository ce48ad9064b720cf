/** Assertions on times, whose failures show both values. */
import assert from 'node:assert/strict';

type Time = Date | string | number | null | undefined;

const msOf = (time: Time): number => (typeof time === 'number' ? time : new Date(time ?? Number.NaN).getTime());
/** On a busy machine this much may pass between the moment that the service records and the test's comparison. */
const busyMs = 60_000;

/** @param actual a time, or a number in the unit of the other values */
export function assertAbout(actual: Time, expected: number, tolerance = busyMs): void {
  assert.ok(Math.abs(msOf(actual) - expected) <= tolerance, `${msOf(actual)}, expected ${expected} ± ${tolerance}`);
}

/** The time is at most a minute from now. */
export const assertRecent = (time: Time) => assertAbout(time, Date.now());

/** How much of a wait may be over when the test looks. Less than the differences between waits that tests tell apart. */
const goneMs = 9_000;

/** What is left of a wait that began with so many milliseconds a moment ago. It is never longer, and not over. */
export function assertLeft(actual: unknown, fullMs: number): void {
  assert.ok(
    typeof actual === 'number' && actual <= fullMs && actual > Math.max(0, fullMs - goneMs),
    `${String(actual)} ms left of ${fullMs} ms`,
  );
}
