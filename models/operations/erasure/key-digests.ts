/**
 * The digest of a batch's request is a SHA-256 of all its recipients. After the erasure of one of them, trials with possible recipients would show
 * who that was. So the digest is replaced by a keyed digest of itself, with which a repeat of the request is still recognized.
 */
import { type Database, select, timeAgo } from '../../db/database.js';
import { isPlainDigest, keyedDigestInSql } from '../../rules/contacts/erasure.js';
import { idBefore } from '../../rules/values/id-time.js';

const page = 250;
/** Long after the last repeat of a request: processes of the former version answer 422 to a repeat of one whose digest is keyed. */
const plainMs = 86_400_000;

/** Keys the digests of these batches that are not keyed yet. */
export async function keyDigests(db: Database, key: Buffer, ids: readonly string[]): Promise<void> {
  await select(db, keyThese, [ids, key]);
}

const keying = (found: string) => `
  UPDATE batches b SET request_digest = ${keyedDigestInSql('$2', 'b.request_digest')}
  WHERE b.id IN (SELECT b.id FROM batches b WHERE ${found} AND ${isPlainDigest('b.request_digest')} ORDER BY b.id`;

const keyThese = `${keying('b.id = ANY($1::uuid[])')} FOR NO KEY UPDATE)`;

/**
 * Keys the digests of all batches that are a day old, page by page: messages of an open batch may be erased by their age, and recipients were erased
 * before this was done. The next call takes rows that are locked now.
 * @param untilMs milliseconds since 1970
 */
export async function keyOldDigests(db: Database, key: Buffer, untilMs: number): Promise<void> {
  const before = idBefore(await timeAgo(db, plainMs));
  while (Date.now() < untilMs) if ((await select(db, keyOld, [before, key])).length < page) break;
}

const keyOld = `${keying('b.id < $1')} LIMIT ${page} FOR NO KEY UPDATE SKIP LOCKED) RETURNING b.id`;
