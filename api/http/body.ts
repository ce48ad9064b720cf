/** JSON of bodies, read by our own hand, so that every fault has the contract's words. */
import { invalidJson } from '../../models/errors.js';

/** Fields that hold whatever the sender likes. */
const freeForm: ReadonlySet<string> = new Set(['metadata', 'custom_fields']);

/**
 * The object that the bytes are JSON of; no bytes are an empty object.
 * @throws AppError 400 for other encodings than UTF-8, for broken JSON, and for JSON that is no object
 */
export function parseObject(bytes: Buffer): object {
  if (bytes.length === 0) return {};
  const parsed = parse(textOf(bytes));
  if (!isObject(parsed)) throw invalidJson('The body must be a JSON object');
  // An own `__proto__` would become the prototype of every copy. It is an unknown field: dropped, except in what is free-form, which is refused.
  for (const [name, holder] of [['', parsed], ...Object.entries(parsed)] as const) {
    if (!freeForm.has(name) && isObject(holder)) Reflect.deleteProperty(holder, '__proto__');
  }
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
    throw invalidJson(placeOf(text, /position (\d+)/.exec((error as Error).message)?.[1]));
  }
}

/** Line and column as editors count them. The parser names no position where the text just ends. */
function placeOf(text: string, position: string | undefined): string {
  if (position === undefined || Number(position) >= text.length) return 'The body ends before its JSON does';
  const before = text.slice(0, Number(position)).split('\n');
  return `The JSON is broken at line ${before.length}, column ${(before.at(-1) ?? '').length + 1}`;
}

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null && !Array.isArray(value);
