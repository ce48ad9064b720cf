/** The values of a text for programs, in words: clients that are generated from an enum refuse a value that a later version adds. */
export const oneOfWords = (values: readonly string[]): string => `One of: ${values.join(', ')}`;
