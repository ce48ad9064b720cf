/**
 * Placeholders in texts (docs/contract/batches.md): `{{ name }}` and `{{ name | fallback }}`; `\{{` is a literal `{{`. A template is read
 * once; what is put into it is never read again.
 */

interface Placeholder {
  name: string;
  /** Stands where no value is given; undefined: a value is required. */
  fallback: string | undefined;
  /** As it was written. */
  source: string;
}

export interface Template {
  parts: readonly (string | Placeholder)[];
  /** Names without which it cannot be rendered, each once. */
  required: readonly string[];
  /** The beginning of the first thing that opens like a placeholder and is none; null when there is nothing like that. */
  malformed: string | null;
}

// Each alternative ends at the next brace at the latest, so that reading takes time in proportion to the text.
const opening = /\\\{\{|\{\{\s*([\p{L}\p{M}\p{N}_.-]+)\s*(?:\|([^{}]*))?\}\}|\{\{(?!\{)[^{}]*\}{0,2}/gu;
const malformedShown = 40;

/** Reads a text once, to be rendered many times. */
export function compileTemplate(text: string): Template {
  const parts: (string | Placeholder)[] = [];
  let malformed: string | null = null;
  let end = 0;
  for (const match of text.matchAll(opening)) {
    const [source, name, fallback] = match;
    parts.push(text.slice(end, match.index));
    end = match.index + source.length;
    if (name !== undefined) parts.push({ name, fallback: fallback?.trim(), source });
    else if (source.startsWith('\\')) parts.push('{{');
    else malformed ??= source.slice(0, malformedShown).toWellFormed();
  }
  parts.push(text.slice(end));
  const required = parts.flatMap((part) => (typeof part === 'string' || part.fallback !== undefined ? [] : [part.name]));
  return { parts: parts.filter((part) => part !== ''), required: [...new Set(required)], malformed };
}

/** Names that the template requires and that have no value. */
export const missingFrom = ({ required }: Template, values: ReadonlyMap<string, string>): string[] =>
  required.filter((name) => !values.has(name));

export interface RenderOptions {
  /** Applied to values, for example to escape them. */
  escape?: (value: string) => string;
  /** UTF-16 units after which rendering stops; what is longer is cut there. */
  unitsMax?: number;
}

/** The text with its values; a required one that is missing stays as it was written. */
export function render(
  { parts }: Template,
  values: ReadonlyMap<string, string>,
  { escape = (value) => value, unitsMax = Number.POSITIVE_INFINITY }: RenderOptions = {},
): { text: string; isCut: boolean } {
  let text = '';
  for (const part of parts) {
    const value = typeof part === 'string' ? undefined : values.get(part.name);
    if (typeof part === 'string') text += part;
    else text += value === undefined ? (part.fallback ?? part.source) : escape(value);
    // A value of a megabyte in a thousand placeholders would be no string any more.
    if (text.length > unitsMax) return { text: text.slice(0, unitsMax).toWellFormed(), isCut: true };
  }
  return { text, isCut: false };
}

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

/** A value as HTML shows it literally. */
export const escapeHtml = (value: string): string => value.replaceAll(/[&<>"']/g, (character) => entities[character] ?? character);

/** How many placeholders the text has; no more than `most` are counted. */
export function countPlaceholders(text: string, most: number): number {
  let count = 0;
  for (const [, name] of text.matchAll(opening)) {
    if (name !== undefined) count += 1;
    if (count >= most) break;
  }
  return count;
}
