/** The free-form object that a client attaches to a message. */
import type { Fault } from '../../errors.js';
import { exactNumbers, faultOfNumber } from './number.js';
import { isStorable } from './text.js';

const bytesMax = 4096;
const keysMax = 50;
const levelsMax = 5;
const prototypeKeys = new Set(['__proto__', 'constructor', 'prototype']);
/** The limits, for the OpenAPI document. */
export const metadataLimits = [
  `At most ${bytesMax.toLocaleString('en-US')} bytes as JSON, ${keysMax} keys, ${levelsMax} levels`,
  `Numbers from ${exactNumbers.minimum} to ${exactNumbers.maximum}; send larger ones as strings`,
  `The keys ${[...prototypeKeys].map((key) => `\`${key}\``).join(', ')} are refused at any level`,
].join('. ');

/** The fault of the metadata at this path; null if there is none. The depth is checked first, because all other checks are recursive. */
export function faultOfMetadata(path: string, value: object): Fault | null {
  const fault = (message: string): Fault => ({ field: path, message: `${path} ${message}` });
  if (levelsOf(value) > levelsMax) return fault(`must be at most ${levelsMax} levels deep`);
  if (Object.keys(value).length > keysMax) return fault(`must have at most ${keysMax} keys`);
  if (Buffer.byteLength(JSON.stringify(value)) > bytesMax) return fault(`must be at most ${bytesMax} bytes`);
  return faultInside(path, value);
}

function levelsOf(value: unknown, level = 1): number {
  if (typeof value !== 'object' || value === null) return level - 1;
  if (level > levelsMax) return level;
  return Object.values(value).reduce<number>((deepest, item) => Math.max(deepest, levelsOf(item, level + 1)), level);
}

function faultInside(path: string, value: unknown): Fault | null {
  if (typeof value === 'string' && !isStorable(value)) return { field: path, message: `${path} must be valid text` };
  const wrong = typeof value === 'number' ? faultOfNumber(value) : null;
  if (wrong !== null) return { field: path, message: `${path} ${wrong}` };
  if (typeof value !== 'object' || value === null) return null;
  for (const [key, item] of Object.entries(value)) {
    if (!isStorable(key)) return { field: path, message: `${path} must be valid text` };
    if (prototypeKeys.has(key)) return { field: path, message: `${path} must not have a key ${key}` };
    const fault = faultInside(Array.isArray(value) ? `${path}[${key}]` : `${path}.${key}`, item);
    if (fault !== null) return fault;
  }
  return null;
}
