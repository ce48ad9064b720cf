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
  let parsed: unknown;
  try {
    parsed = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch {
    throw invalidJson();
  }
  if (!isObject(parsed)) throw invalidJson();
  // An own `__proto__` would become the prototype of every copy. It is an unknown field: dropped, except in what is free-form, which is refused.
  for (const [name, holder] of [['', parsed], ...Object.entries(parsed)] as const) {
    if (!freeForm.has(name) && isObject(holder)) Reflect.deleteProperty(holder, '__proto__');
  }
  return parsed;
}

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null && !Array.isArray(value);
