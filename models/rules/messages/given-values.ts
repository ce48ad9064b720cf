/** The values that a client gives for placeholders, and the faults of values whose names the client chooses. */
import type { Fault } from '../../errors.js';
import { faultOfNumber } from '../values/number.js';
import { isStorable } from '../values/text.js';

export type Values = ReadonlyMap<string, string>;

const fieldShownMax = 200;

/** The values of a `variables` object. @param path the path before it, with its dot @param faults receives the faults */
export function readVariables(variables: object, path: string, faults: Fault[]): Values {
  const values = new Map<string, string>();
  for (const [name, value] of Object.entries(variables)) {
    const text = readValue(value, `${path}variables.${name}`, faults);
    if (text !== null) values.set(name, text);
  }
  return values;
}

/** A scalar as text; null if it is null, or unusable, which is a fault. */
export function readValue(value: unknown, field: string, faults: Fault[]): string | null {
  if (value === null) return null;
  if (typeof value === 'boolean') return String(value);
  if (typeof value === 'string' && isStorable(value)) return value;
  if (typeof value !== 'number') {
    faults.push(faultOfNoText(field, value));
    return null;
  }
  const wrong = faultOfNumber(value);
  if (wrong === null) return String(value);
  faults.push(faultAt(field, (at) => `${at} ${wrong}`));
  return null;
}

/** The text; empty if it is absent; null if it is not a text, which is a fault. */
export function readText(value: unknown, field: string, faults: Fault[]): string | null {
  if (value === undefined || value === null) return '';
  if (typeof value === 'string' && isStorable(value)) return value;
  faults.push(faultOfNoText(field, value));
  return null;
}

const faultOfNoText = (field: string, value: unknown): Fault =>
  faultAt(field, (at) => `${at} must be ${typeof value === 'string' ? 'valid text' : 'a string'}`);

/** The client chooses these names. They are shown so that the answer stays readable, and can be stored. */
export function faultAt(field: string, text: (field: string) => string): Fault {
  const shown = field.slice(0, fieldShownMax).replaceAll('\0', '').toWellFormed();
  return { field: shown, message: text(shown) };
}
