/**
 * Classes of waiting times, from due to delivered. Each class is 9 % wider than the one before, so a percentile from classes is at most 5 %
 * wrong, for milliseconds as for days.
 */

/** Shorter waits are of class 0. */
const shortestMs = 10;
const classesPerDoubling = 8;

/** SQL: the class of a wait in milliseconds. Migration 0039 has the same rule. */
// Stryker disable all: tests with a database run it
export const waitClassOf = (ms: string) =>
  `floor(${classesPerDoubling} * ln(GREATEST(${shortestMs}, ${ms}::float8) / ${shortestMs}) / ln(2::float8))::integer`;
// Stryker restore all

/** The middle of a class, in milliseconds. */
const middleOf = (waitClass: number): number => Math.round(shortestMs * 2 ** ((waitClass + 0.5) / classesPerDoubling));

/**
 * A percentile of waits.
 * @param counts the number of waits by class
 * @param share between 0 and 1
 * @returns milliseconds; null without waits
 */
export function percentileOf(counts: ReadonlyMap<number, number>, share: number): number | null {
  const sorted = [...counts].filter(([, count]) => count > 0).toSorted(([one], [other]) => one - other);
  const total = sorted.reduce((sum, [, count]) => sum + count, 0);
  let seen = 0;
  for (const [waitClass, count] of sorted) {
    seen += count;
    if (seen >= total * share) return middleOf(waitClass);
  }
  return null;
}
