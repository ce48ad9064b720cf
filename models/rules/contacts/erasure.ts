/** The digest that replaces an erased recipient. Only the installation can compute it. */
import { createHash } from 'node:crypto';
import type { Channel } from '../../channels.js';
import { spellingsOf } from '../messages/recipient.js';

/** The first character of a digest. With its 64 hexadecimal digits, no phone number, address or idempotency key of a client looks like that. */
const mark = '#';

/** The digest of a text. @param key 32 random bytes of the installation */
export const digestOf = (key: Buffer, text: string): string => mark + keyed(key, text).toString('hex');

function keyed(key: Buffer, value: string | Buffer): Buffer {
  const inner = createHash('sha256').update(key).update(value).digest();
  return createHash('sha256').update(key).update(inner).digest();
}

/**
 * What replaces the SHA-256 digest of a request. Without the key, nobody can find an erased recipient of the request by trials. The mark before it
 * distinguishes it from such a digest.
 */
export const keyedDigest = (key: Buffer, digest: Buffer): Buffer => Buffer.concat([Buffer.from(mark), keyed(key, digest)]);

/** What a recipient may be called on the suppression list: by the keys of its address, or by their digests after an erasure. */
export const namesOnList = (key: Buffer, channel: Channel, to: string): string[] =>
  spellingsOf(channel, to).flatMap((name) => [name, digestOf(key, name)]);

/** SQL: the same digest. @param key a parameter; if it is null, so is the digest */
// Stryker disable all: tests with a database run it
export const digestInSql = (key: string, text: string) => `'${mark}' || encode(${keyedInSql(key, `convert_to(${text}, 'UTF8')`)}, 'hex')`;

const keyedInSql = (key: string, bytes: string) => `sha256(${key}::bytea || sha256(${key}::bytea || ${bytes}))`;

/** SQL: `keyedDigest` of a SHA-256 digest. */
export const keyedDigestInSql = (key: string, digest: string) => `convert_to('${mark}', 'UTF8') || ${keyedInSql(key, digest)}`;

/** SQL: the column has a SHA-256 digest without a key. The migration 0075 has an index with this condition. */
export const isPlainDigest = (column: string) => `octet_length(${column}) = 32`;
// Stryker restore all

/** Whether this text replaces an erased one. */
const isErased = (text: string): boolean => /^#[0-9a-f]{64}$/.test(text);

/** A recipient, or an id of a carrier that named it, as the API shows it; null if it was erased. */
export const unlessErased = (text: string | null): string | null => (text === null || isErased(text) ? null : text);
