/** The values of a text, for the OpenAPI document. */

/** The values of a text for programs, in words: clients that are generated from an enum refuse a value that a later version adds. */
export const oneOfWords = (values: readonly string[]): string => `One of: ${values.join(', ')}`;

/** The pattern of a list of values, separated by commas. The dot and the star of `api_key.*` stand for themselves. */
export function patternOfList(values: readonly string[]): string {
  const one = `(${values.join('|').replaceAll(/[.*]/g, String.raw`\$&`)})`;
  return `^${one}(,${one})*$`;
}
