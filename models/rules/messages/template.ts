/**
 * Placeholders in texts (docs/contract/batches.md): `{{ name }}` and `{{ name | fallback }}`; `\{{` is a literal `{{`. A template is parsed
 * once. Inserted values are never parsed.
 */
import type { Fault } from '../../errors.js';

interface Placeholder {
  name: string;
  /** Replaces an absent value; undefined: a value is required. */
  fallback: string | undefined;
  /** The original text. */
  source: string;
}

export interface Template {
  parts: readonly (string | Placeholder)[];
  /** Names that need a value, each once. */
  required: readonly string[];
  /** The beginning of the first text that starts like a placeholder but is none; null if there is none. */
  malformed: string | null;
}

// Each alternative ends at the next brace at the latest, so that the time is proportional to the length of the text.
const opening = /\\\{\{|\{\{\s*([\p{L}\p{M}\p{N}_.-]+)\s*(?:\|([^{}]*))?\}\}|\{\{(?!\{)[^{}]*\}{0,2}/gu;
const malformedShown = 40;

/** Parses a text once, for many renderings. */
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

/** Parses the text in a field. @param faults receives the fault of a malformed placeholder */
export function readTemplate(field: string, text: string, faults: Fault[]): Template {
  const template = compileTemplate(text);
  if (template.malformed !== null) faults.push({ field, message: `${field} has an invalid placeholder: ${template.malformed}` });
  return template;
}

/** Whether the text may have placeholders. If not, it is the same for all values. */
export const mayHavePlaceholders = (text: string) => text.includes('{{');

/** The required names without a value. */
export const missingFrom = ({ required }: Template, values: ReadonlyMap<string, string>): string[] =>
  required.filter((name) => !values.has(name));

export interface RenderOptions {
  /** Applied to values, for example to escape them. */
  escape?: (value: string) => string;
  /** Maximum length in UTF-16 units. Rendering stops there and cuts the text. */
  unitsMax?: number;
}

/** The text with its values. A required placeholder without a value stays as it is. */
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
    // A value of a megabyte in a thousand placeholders would exceed the maximum length of a string.
    if (text.length > unitsMax) return { text: text.slice(0, unitsMax).toWellFormed(), isCut: true };
  }
  return { text, isCut: false };
}

/** How many placeholders the text has, counted up to `max`. */
export function countPlaceholders(text: string, max: number): number {
  let count = 0;
  for (const [, name] of text.matchAll(opening)) {
    if (name !== undefined) count += 1;
    if (count >= max) break;
  }
  return count;
}
