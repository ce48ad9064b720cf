/** Parses JSON bodies. We do not use Express's parser, so that every error has the text that the API documents. */
import { invalidJson } from '../../models/errors.js';

/** Fields whose content is free-form. */
const freeForm: ReadonlySet<string> = new Set(['metadata', 'custom_fields']);

/**
 * Parses the bytes as a JSON object. An empty body counts as an empty object.
 * @throws AppError 400 when the bytes are not UTF-8, not JSON, or not a JSON object
 */
export function parseObject(bytes: Buffer): object {
  if (bytes.length === 0) return {};
  let parsed: unknown;
  try {
    parsed = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch {
    throw invalidJson();
  }
  if (!isObject(parsed)) throw invalidJson();
  // An own `__proto__` field would become the prototype of every copy. It is dropped like every unknown field. Free-form fields refuse it.
  for (const [name, holder] of [['', parsed], ...Object.entries(parsed)] as const) {
    if (!freeForm.has(name) && isObject(holder)) Reflect.deleteProperty(holder, '__proto__');
  }
  return parsed;
}

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null && !Array.isArray(value);
