/** Numbers that clients choose freely. */

/** The bounds in JSON Schema. JavaScript holds an integer exactly up to 2^53 - 1; a larger one would be stored and sent as another number. */
export const exactNumbers = { minimum: Number.MIN_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER };

/** What is wrong with the number, without its field; null if nothing is. */
export function faultOfNumber(value: number): string | null {
  if (!Number.isFinite(value)) return 'must be a number';
  const { minimum, maximum } = exactNumbers;
  return value < minimum || value > maximum ? `must be between ${minimum} and ${maximum}; send larger numbers as strings` : null;
}
