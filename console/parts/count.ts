/** The page is in English, its numbers too: a comma may mean something else in the browser's language, and fields take a point. */
const format = new Intl.NumberFormat('en', {
  maximumFractionDigits: 3,
  // A rate may be far below one: three decimals alone would make it 0.
  maximumSignificantDigits: 3,
  roundingPriority: 'morePrecision',
});

/** `1,000`, `2.5` */
export const numberText = (value: number): string => format.format(value);

/** `1 row`, `1,000 rows` */
export const countText = (count: number, noun: string): string => `${numberText(count)} ${noun}${count === 1 ? '' : 's'}`;
