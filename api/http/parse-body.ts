/** Parses JSON bodies. We do not use Express's parser, so that every error has the text that the API documents. */
import { invalidJson } from '../../models/errors.js';

/** Fields whose content is free-form. */
const freeForm: ReadonlySet<string> = new Set(['metadata', 'custom_fields']);

/** A parsed body, and the paths of the fields that were dropped from it. */
export interface ParsedBody {
  body: object;
  dropped: string[];
}

/** @throws AppError as `parseBody` */
export const parseObject = (bytes: Buffer): object => parseBody(bytes).body;

/**
 * Parses the bytes as a JSON object. An empty body counts as an empty object.
 * @throws AppError 400 when the bytes are not UTF-8, not JSON, or not a JSON object
 */
export function parseBody(bytes: Buffer): ParsedBody {
  const parsed = objectIn(bytes);
  // An own `__proto__` field would become the prototype of every copy. It is dropped like every unknown field. Free-form fields refuse it.
  const dropped: string[] = [];
  for (const [name, holder] of [['', parsed], ...Object.entries(parsed)] as const) {
    if (freeForm.has(name) || !isObject(holder) || !Object.hasOwn(holder, '__proto__')) continue;
    Reflect.deleteProperty(holder, '__proto__');
    dropped.push(name === '' ? '__proto__' : `${name}.__proto__`);
  }
  return { body: parsed, dropped };
}

/** The fields of a body that nothing uses; none if it is not a JSON object. */
export function unusedFieldsIn(bytes: Buffer): string[] {
  try {
    return Object.keys(objectIn(bytes));
  } catch {
    return [];
  }
}

function objectIn(bytes: Buffer): object {
  if (bytes.length === 0) return {};
  const parsed = parse(textOf(bytes));
  if (!isObject(parsed)) throw invalidJson('The body must be a JSON object');
  return parsed;
}

function textOf(bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw invalidJson('The body must be UTF-8');
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (/^[\w%.[\]-]+=/.test(text)) throw invalidJson('The body must be a JSON object, not a form');
    throw invalidJson(placeOf(text, faultIn(text, (error as Error).message)));
  }
}

/** Line and column of the fault, counted from 1. */
function placeOf(text: string, position: number): string {
  if (position >= text.length) return 'The body ends before its JSON does';
  const before = text.slice(0, position).split('\n');
  return `The JSON is broken at line ${before.length}, column ${(before.at(-1) ?? '').length + 1}`;
}

/** The position of the fault. The parser's message also quotes the text, so only its end tells the position. */
function faultIn(text: string, message: string): number {
  if (message === 'Unexpected end of JSON input') return text.length;
  const position = / in JSON at position (\d+)(?: \(line \d+ column \d+\))?$/.exec(message)?.[1];
  return position === undefined ? firstUnexpected(text) : Number(position);
}

/**
 * The parser reports no position for what stands in the place of a value. All before it is valid JSON, so a value is due exactly after these
 * characters. Bodies have megabytes, so this looks at each character once.
 */
function firstUnexpected(text: string): number {
  let before = ','; // a text begins with a value, too
  for (let at = 0; at < text.length; at += 1) {
    const char = text.charAt(at);
    if (' \t\n\r'.includes(char)) continue;
    const isDue = ':,['.includes(before) && !(before === '[' && char === ']');
    const literal = isDue ? literals.find((word) => text.startsWith(word, at)) : undefined;
    if (isDue && literal === undefined && !'"{[-0123456789'.includes(char)) return at;
    if (char === '"') at = endOfString(text, at);
    else if (literal !== undefined) at += literal.length - 1;
    before = char;
  }
  return text.length;
}

const literals = ['true', 'false', 'null'];

/** The position of the closing quote. */
function endOfString(text: string, start: number): number {
  const special = /["\\]/g;
  special.lastIndex = start + 1;
  for (let found = special.exec(text); found !== null; found = special.exec(text)) {
    if (found[0] === '"') return found.index;
    special.lastIndex += 1; // the escaped character
  }
  return text.length;
}

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null && !Array.isArray(value);
