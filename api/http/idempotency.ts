/** Idempotency keys: their form, and the digest that tells a repeated request from another one. */
import { createHash } from 'node:crypto';
import { type Fault, faultTexts } from '../../models/errors.js';
import { erasureKey } from '../../models/operations/erasure/erasure-key.js';
import { digestOf } from '../../models/rules/contacts/erasure.js';
import { inSlices } from '../../models/rules/values/in-slices.js';
import type { Database } from '../../models/db/database.js';
import type { Config } from '../../models/settings/config.js';

const form = /^[\x21-\x7e]{1,255}$/;

/** What is wrong with the header, if it was sent at all. */
export function faultsOfIdempotencyKey(key: string | null): Fault[] {
  if (key === null || form.test(key)) return [];
  return [{ field: 'Idempotency-Key', message: faultTexts.idempotencyKey }];
}

/** Under which names a request with this key may be stored: a digest takes the place of the key where its data were erased. */
export async function keysOf({ db, config }: { db: Database; config: Pick<Config, 'secretKeys'> }, key: string): Promise<string[]> {
  return [key, digestOf(await erasureKey(db, config.secretKeys), key)];
}

/** SHA-256 of a validated body, the same for every order of its keys. Unknown fields were dropped and do not count. */
export const digestRequest = (body: object): Buffer => createHash('sha256').update(canonical(body)).digest();

/** The same for a body with a long list, in turns with others. What lies very deep in the list does not count. */
export async function digestList(body: object, list: readonly unknown[]): Promise<Buffer> {
  const hash = createHash('sha256').update(canonical(body));
  for await (const item of inSlices(list)) hash.update(`,${canonical(item)}`);
  return hash.digest();
}

/** Deeper than anything that is stored; JSON can be nested deeper than a stack is. */
const levelsMax = 50;

function canonical(value: unknown, level = 0): string {
  if (level > levelsMax) return 'null';
  if (Array.isArray(value)) return `[${value.map((item) => canonical(item, level + 1)).join(',')}]`;
  if (typeof value !== 'object' || value === null || value instanceof Date) return JSON.stringify(value) ?? 'null';
  const entries = Object.entries(value).filter(([, item]) => item !== undefined);
  const sorted = entries.toSorted(([one], [other]) => (one < other ? -1 : 1));
  return `{${sorted.map(([key, item]) => `${JSON.stringify(key)}:${canonical(item, level + 1)}`).join(',')}}`;
}
