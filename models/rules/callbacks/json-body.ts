/** The common parts of callbacks in JSON. */
import type { IncomingHttpHeaders } from 'node:http';
import { invalidJson } from '../../errors.js';
import { isUuid } from '../values/text.js';
import { endOfYear9999 } from '../values/timestamp.js';

// oxlint-disable-next-line typescript/no-explicit-any -- every provider has its own formats; readers check what they use
export type Json = any;

/** @throws AppError validation_failed if it is not JSON */
export function parseJson(body: Buffer): Json {
  try {
    return JSON.parse(body.toString('utf8'));
  } catch {
    throw invalidJson();
  }
}

/** A header as one text; empty if it is absent. */
export const headerOf = (headers: IncomingHttpHeaders, name: string): string => String(headers[name] ?? '');

/** Our message id as the provider echoes it; null for any other value. */
export const echoOf = (value: unknown): string | null => (typeof value === 'string' && isUuid(value) ? value : null);

/** Whether the timestamp of a signature, in seconds since 1970, is close to the time when it was received. An older one is a replay. */
export const isWithin = (windowSeconds: number, timestamp: string, at: Date): boolean =>
  Math.abs(at.getTime() / 1000 - Number(timestamp)) <= windowSeconds; // false if it is not a number

/** A time in the formats of providers: ISO 8601, or seconds or milliseconds since 1970; `otherwise` if there is none. */
export function momentOf(value: unknown, otherwise: Date): Date {
  const isNumber = typeof value === 'number' || /^\d+$/.test(String(value));
  const at = new Date(isNumber ? millisecondsOf(Number(value)) : String(value));
  return Number.isNaN(at.getTime()) ? otherwise : at;
}

/** A number from `endOfYear9999` on is in milliseconds. */
const millisecondsOf = (number: number) => (number < endOfYear9999 ? number * 1000 : number);
