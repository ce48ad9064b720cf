/** Checks on text that every room needs. */

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** True for the canonical text form of a UUID; PostgreSQL refuses everything else with an error. */
export const isUuid = (text: string): boolean => uuid.test(text);

/** True when PostgreSQL can store the text: no NUL, no lone surrogate. */
export const isStorable = (text: string): boolean => !text.includes('\0') && text.isWellFormed();

/** Number of Unicode code points; `'😀'.length` is 2, this is 1. */
export function codePoints(text: string): number {
  let count = 0;
  for (const _ of text) count += 1;
  return count;
}
