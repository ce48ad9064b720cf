/** Erases what batches store about persons: faults of recipients, and the client's idempotency key. */
import { type Database, select, selectIds } from '../../db/database.js';
import { digestInSql } from '../../rules/contacts/erasure.js';
import { mentionInKey, mentionOf } from '../../rules/contacts/mention.js';
import { lowestId } from '../../rules/values/id-time.js';
import { erasurePage } from './erase-messages.js';
import { keyDigests } from './key-digests.js';

/**
 * Erases those of these batches that have ended. The others are checked again after this time.
 * @param kept ids of batches that are not erased now
 */
export async function eraseBatchesOrQueue(
  db: Database,
  key: Buffer,
  { ids, kept = [], againInSeconds }: { ids: readonly string[]; kept?: readonly string[]; againInSeconds: number },
): Promise<void> {
  if (ids.length > 0) await select(db, eraseOrQueue, [ids, key, againInSeconds, kept]);
}

/** SQL: the batch `b` still has something to erase. A key without the digest of its request is a digest itself. */
const isPersonal = `(b.request_digest IS NOT NULL OR b.errors::text <> '[]')`;

const digestOfKey = digestInSql('$2', 'b.idempotency_key');

/** A batch that is open or locked keeps its faults and its idempotency key. */
const eraseOrQueue = `
  WITH erased AS (
    UPDATE batches b SET errors = '[]', request_digest = NULL,
      idempotency_key = CASE WHEN b.request_digest IS NULL THEN b.idempotency_key ELSE ${digestOfKey} END
    WHERE b.id IN (
      SELECT b.id FROM batches b
      WHERE b.id = ANY($1::uuid[]) AND b.id <> ALL($4::uuid[]) AND ${isPersonal} AND b.completed_at IS NOT NULL ORDER BY b.id FOR UPDATE SKIP LOCKED)
    RETURNING b.id
  ), waiting AS (
    SELECT b.id FROM batches b WHERE b.id = ANY($1::uuid[]) AND ${isPersonal} AND b.id NOT IN (SELECT id FROM erased)
  ), queued AS (
    INSERT INTO erasure_batches (batch_id, look_at) SELECT id, now() + $3 * interval '1 second' FROM waiting ORDER BY id
    ON CONFLICT (batch_id) DO UPDATE SET look_at = excluded.look_at
  )
  DELETE FROM erasure_batches WHERE batch_id = ANY($1::uuid[]) AND batch_id NOT IN (SELECT id FROM waiting)`;

/** A page of the batches whose check is due. */
export function batchesDueForErasure(db: Database): Promise<string[]> {
  return selectIds(db, due);
}

const due = `
  SELECT batch_id AS id FROM erasure_batches WHERE look_at <= now() ORDER BY look_at, batch_id LIMIT ${erasurePage}`;

/**
 * Removes a recipient from the faults and the idempotency keys of a workspace's batches, page by page. A key that names the recipient stays
 * taken, but the request is no longer known. The digests of all requests become keyed, because no row says which invalid recipients a request
 * had.
 * @param at batches that were created later keep it
 */
export async function eraseInBatches(
  db: Database,
  key: Buffer,
  { workspaceId, recipient, at }: { workspaceId: string; recipient: string; at: Date },
): Promise<void> {
  const mentions = [mentionOf(recipient), mentionInKey(recipient)];
  for (let after: string | undefined = lowestId; after !== undefined; ) {
    const page: { id: string }[] = await select(db, nextBatches, [workspaceId, after, at]);
    const ids = page.map(({ id }) => id);
    if (ids.length > 0) {
      await select(db, erase, [ids, key, ...mentions]);
      await keyDigests(db, key, ids);
    }
    after = ids.length < erasurePage ? undefined : ids.at(-1);
  }
}

const nextBatches = `
  SELECT id FROM batches WHERE workspace_id = $1 AND id > $2 AND created_at <= $3 AND status <> 'accepting' ORDER BY id LIMIT ${erasurePage}`;

/** SQL: the idempotency key of the batch `b` names the recipient. */
const isInKey = `(b.request_digest IS NOT NULL AND lower(b.idempotency_key) ~ $4)`;

const erase = `
  UPDATE batches b SET
    errors = (
      SELECT COALESCE(json_agg(
        CASE WHEN lower(e.fault::text) ~ $3 THEN json_build_object('index', e.fault -> 'index', 'field', 'to', 'message', 'Erased') ELSE e.fault END
        ORDER BY e.place), '[]')
      FROM json_array_elements(b.errors) WITH ORDINALITY AS e (fault, place)),
    idempotency_key = CASE WHEN ${isInKey} THEN ${digestOfKey} ELSE b.idempotency_key END,
    request_digest = CASE WHEN NOT COALESCE(${isInKey}, false) THEN b.request_digest END
  WHERE b.id IN (
    SELECT b.id FROM batches b WHERE b.id = ANY($1::uuid[]) AND (${isInKey} OR lower(b.errors::text) ~ $3) ORDER BY b.id FOR UPDATE)`;
