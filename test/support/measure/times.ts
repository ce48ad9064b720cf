/** Assertions on times, whose failures show both values. */
import assert from 'node:assert/strict';

type Time = Date | string | number | null | undefined;

const msOf = (time: Time): number => (typeof time === 'number' ? time : new Date(time ?? Number.NaN).getTime());
/** A busy machine may need as long between a time that the service takes and the one that the test compares it with. */
const busyMs = 60_000;

/** @param actual a time, or a number in the unit of the other values */
export function assertAbout(actual: Time, expected: number, tolerance = busyMs): void {
  assert.ok(Math.abs(msOf(actual) - expected) <= tolerance, `${msOf(actual)}, expected ${expected} ± ${tolerance}`);
}

/** The time was taken during this test. */
export const assertRecent = (time: Time) => assertAbout(time, Date.now());

/** What is left of a wait that began with so many milliseconds a moment ago. It is never longer. */
export function assertLeft(actual: unknown, fullMs: number): void {
  assert.ok(typeof actual === 'number' && actual <= fullMs && actual > fullMs - 9_000, `${String(actual)} ms left of ${fullMs} ms`);
}
