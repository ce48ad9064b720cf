/** What callbacks in JSON have in common. */
import type { IncomingHttpHeaders } from 'node:http';
import { invalidJson } from '../../errors.js';
import { isUuid } from '../values/text.js';

// oxlint-disable-next-line typescript/no-explicit-any -- every provider has shapes of its own; readers take what they find
export type Json = any;

/** @throws AppError 400 for what is no JSON */
export function parseJson(body: Buffer): Json {
  try {
    return JSON.parse(body.toString('utf8'));
  } catch {
    throw invalidJson();
  }
}

/** A header as one text; empty where there is none. */
export const headerOf = (headers: IncomingHttpHeaders, name: string): string => String(headers[name] ?? '');

/** Our message id as the provider echoes it; null for anything else. */
export const echoOf = (value: unknown): string | null => (typeof value === 'string' && isUuid(value) ? value : null);

/** Whether a signature's timestamp, seconds since 1970, is so near to when it came: an older one is a replay. */
export const isWithin = (windowSeconds: number, timestamp: string, at: Date): boolean =>
  Math.abs(at.getTime() / 1000 - Number(timestamp)) <= windowSeconds; // never of what is no number

/** More seconds than that are milliseconds: no year has five digits yet. */
const secondsMax = 253_402_300_800;

/** A moment as the provider tells it: ISO 8601, or seconds or milliseconds since 1970; `otherwise` where it tells none. */
export function momentOf(value: unknown, otherwise: Date): Date {
  const number = typeof value === 'number' || /^\d+$/.test(String(value)) ? Number(value) : Number.NaN;
  const at = new Date(Number.isNaN(number) ? String(value) : number < secondsMax ? number * 1000 : number);
  return Number.isNaN(at.getTime()) ? otherwise : at;
}
