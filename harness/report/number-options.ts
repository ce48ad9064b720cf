/**
 * The options of a command that are numbers.
 * @throws if one is not a number from `min` on, because a command that measures nothing must not look like a success
 */
export function numbersFrom<Name extends string>(min: number, options: Readonly<Record<Name, string>>): Record<Name, number> {
  const numbers = Object.entries<string>(options).map(([name, text]) => {
    const number = text.trim() === '' ? Number.NaN : Number(text);
    if (!(number >= min && number < Number.POSITIVE_INFINITY)) throw new Error(`--${name} must be a number from ${min} on`);
    return [name, number];
  });
  return Object.fromEntries(numbers) as Record<Name, number>;
}
