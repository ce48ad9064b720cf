/** Idempotency keys: their form, and the digest that tells a repeated request from another one. */
import { createHash } from 'node:crypto';
import type { Fault } from '../models/errors.js';

const form = /^[\x21-\x7e]{1,255}$/;

/** What is wrong with the header, if it was sent at all. */
export function faultsOfIdempotencyKey(key: string | null): Fault[] {
  if (key === null || form.test(key)) return [];
  return [{ field: 'Idempotency-Key', message: 'Idempotency-Key must be 1 to 255 visible ASCII characters' }];
}

/** SHA-256 of a validated body, the same for every order of its keys. Unknown fields were dropped and do not count. */
export const digestRequest = (body: object): Buffer => createHash('sha256').update(canonical(body)).digest();

function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  if (typeof value !== 'object' || value === null || value instanceof Date) return JSON.stringify(value) ?? 'null';
  const entries = Object.entries(value).filter(([, item]) => item !== undefined);
  const sorted = entries.toSorted(([one], [other]) => (one < other ? -1 : 1));
  return `{${sorted.map(([key, item]) => `${JSON.stringify(key)}:${canonical(item)}`).join(',')}}`;
}
