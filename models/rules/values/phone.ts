/** Phone numbers in E.164: `+`, then country code and number, at most 15 digits, the first not zero. */

const e164 = /^\+[1-9]\d{1,14}$/;

/** True for a number in E.164 form. */
export const isPhone = (text: string): boolean => e164.test(text);

/** Mobile numbers that are written in two ways: with a digit that the country once added, and without. */
const twoWays: readonly [longer: RegExp, shorter: RegExp, digit: string][] = [
  [/^(\+52)1(\d{10})$/, /^(\+52)(\d{10})$/, '1'], // Mexico
  [/^(\+54)9(\d{10})$/, /^(\+54)(\d{10})$/, '9'], // Argentina
  [/^(\+55\d\d)9([6-9]\d{7})$/, /^(\+55\d\d)([6-9]\d{7})$/, '9'], // Brazil
];

/** The number, and the other way in which carriers write it. WhatsApp names a person by the number of their registration. */
export function phoneSpellings(phone: string): string[] {
  if (!phone.startsWith('+5')) return [phone]; // as all of `twoWays` begin: a batch asks for ten thousand numbers
  const others = twoWays.flatMap(([longer, shorter, digit]) => {
    if (longer.test(phone)) return [phone.replace(longer, '$1$2')];
    return shorter.test(phone) ? [phone.replace(shorter, `$1${digit}$2`)] : [];
  });
  return [phone, ...others];
}

/** SQL: the other way of writing the number; null if there is none, or if the text is no number. */
export function otherSpellingInSql(text: string): string {
  const cases = twoWays.flatMap(([longer, shorter, digit]) => [
    `WHEN ${text} ~ '${longer.source}' THEN regexp_replace(${text}, '${longer.source}', '\\1\\2')`,
    `WHEN ${text} ~ '${shorter.source}' THEN regexp_replace(${text}, '${shorter.source}', '\\1${digit}\\2')`,
  ]);
  // Most numbers are of other countries and meet none of the patterns.
  return `CASE WHEN ${text} LIKE '+5%' THEN CASE ${cases.join(' ')} END END`;
}
