/** Checks on texts for all modules. */

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** True for the canonical text form of a UUID. PostgreSQL rejects everything else with an error. */
export const isUuid = (text: string): boolean => uuid.test(text);

/** Whether PostgreSQL can store the text: no NUL, no lone surrogate. */
export const isStorable = (text: string): boolean => !text.includes('\0') && text.isWellFormed();

/** Whether PostgreSQL can store each text of a row. */
export const hasStorableTexts = (row: object): boolean =>
  Object.values(row).every((value: unknown) => typeof value !== 'string' || isStorable(value));

/** The text of others on one line, without characters that move a terminal's cursor, turn its writing direction or end its line. */
export const onOneLine = (text: string): string => text.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, ' ');

/** `1 attempt`, `2,000 attempts`. @param many the plural, if it is not the noun with an s */
export const countText = (count: number, noun: string, many = `${noun}s`): string =>
  `${count.toLocaleString('en-US')} ${count === 1 ? noun : many}`;

/** The number of Unicode code points: 1 for `'😀'`, whose `length` is 2. */
export function codePoints(text: string): number {
  let count = 0;
  for (const _ of text) count += 1;
  return count;
}
