/** Idempotency keys: their format, and the digest that distinguishes a repeated request from a different one. */
import { createHash } from 'node:crypto';
import { type Fault, faultTexts } from '../../models/errors.js';
import { erasureKey } from '../../models/operations/erasure/erasure-key.js';
import { digestOf, keyedDigest } from '../../models/rules/contacts/erasure.js';
import { inSlices } from '../../models/rules/values/in-slices.js';
import type { Database } from '../../models/db/database.js';
import type { Config } from '../../models/settings/config.js';

const form = /^[\x21-\x7e]{1,255}$/;

/** The fault of the header; none if it was not sent. */
export function faultsOfIdempotencyKey(key: string | null): Fault[] {
  if (key === null || form.test(key)) return [];
  return [{ field: 'Idempotency-Key', message: faultTexts.idempotencyKey }];
}

/** What may be stored of a request: its idempotency key and its digest, or what has replaced them after an erasure. */
export async function storedForms(
  { db, config }: { db: Database; config: Pick<Config, 'secretKeys'> },
  idempotencyKey: string,
  digests: readonly (Buffer | null)[],
): Promise<{ keys: string[]; digests: Buffer[] }> {
  const key = await erasureKey(db, config.secretKeys);
  return {
    keys: [idempotencyKey, digestOf(key, idempotencyKey)],
    digests: digests.flatMap((digest) => (digest === null ? [] : [digest, keyedDigest(key, digest)])),
  };
}

/** The SHA-256 of a validated body. The order of keys does not matter, and unknown fields were dropped before. */
export const digestRequest = (body: object): Buffer => createHash('sha256').update(canonical(body)).digest();

/** The same for a body with a long list, computed in slices so that other requests can run in between. Very deep levels of the list are ignored. */
export async function digestList(body: object, list: readonly unknown[]): Promise<Buffer> {
  const hash = createHash('sha256').update(canonical(body));
  for await (const item of inSlices(list)) hash.update(`,${canonical(item)}`);
  return hash.digest();
}

/** Deeper than any stored value. JSON can be nested deeper than the call stack allows. */
const levelsMax = 50;

function canonical(value: unknown, level = 0): string {
  if (level > levelsMax) return 'null';
  if (Array.isArray(value)) return `[${value.map((item) => canonical(item, level + 1)).join(',')}]`;
  if (typeof value !== 'object' || value === null || value instanceof Date) return JSON.stringify(value) ?? 'null';
  const entries = Object.entries(value).filter(([, item]) => item !== undefined);
  const sorted = entries.toSorted(([one], [other]) => (one < other ? -1 : 1));
  return `{${sorted.map(([key, item]) => `${JSON.stringify(key)}:${canonical(item, level + 1)}`).join(',')}}`;
}
