import { countText } from '../../models/rules/values/text.js';
import { readTimestamp } from '../../models/rules/values/timestamp.js';
import { type Option, type ParsedArguments, textIn, UsageError } from './command.js';

/**
 * Reads an option that is a moment.
 * @param isExact a day, or a time without a zone, is not enough
 * @returns undefined if the option was not given
 * @throws UsageError
 */
export function momentIn(given: ParsedArguments, option: string, { isExact = false } = {}): Date | undefined {
  const text = textIn(given, option);
  if (text === undefined) return undefined;
  const stamp = readTimestamp(text);
  if (stamp === null || (isExact && (stamp.isDay || !stamp.hasZone))) {
    throw new UsageError(`--${option} must be a time such as 2026-11-20T08:00:00Z`);
  }
  return stamp.at;
}

/** Reads the options `since` and `until`. @throws UsageError also if they leave no time between them */
export function periodIn(given: ParsedArguments): { since: Date | undefined; until: Date | undefined } {
  const [since, until] = [momentIn(given, 'since'), momentIn(given, 'until')];
  if (since !== undefined && until !== undefined && since >= until) throw new UsageError('--since must be before --until');
  return { since, until };
}

/**
 * Reads an option that is a whole number.
 * @throws UsageError
 */
export function numberIn(
  given: ParsedArguments,
  option: string,
  { default: otherwise, min = 0, max }: { default: number; min?: number; max: number },
): number {
  const text = textIn(given, option) ?? String(otherwise);
  const number = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN;
  if (!(number >= min && number <= max)) throw new UsageError(`--${option} must be a number from ${min} to ${max}`);
  return number;
}

/** The last line of a list that was cut by `--limit`. */
export const firstOf = (count: number, noun: string, many?: string): string =>
  `The first ${countText(count, noun, many)} (--limit). There are more.`;

/** The option of commands that change a workspace of another person. */
export const reasonOption = { value: 'TEXT', isRequired: true, about: 'Why; it is written to the audit events' } satisfies Option;

/** The value of `reasonOption`, which is never absent: it is required. */
export const reasonIn = (given: ParsedArguments): string => textIn(given, 'reason') ?? '';
