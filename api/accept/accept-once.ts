/** Accepts what a request asks for exactly once for its idempotency key. Messages and batches share this code. */
import { idempotencyMismatch, internal } from '../../models/errors.js';
import type { Deps } from '../deps.js';
import { storedForms } from '../http/idempotency.js';

export interface AcceptedRow<Row> {
  row: Row;
  /** An earlier request with the same idempotency key was accepted; this is its row. */
  isReplay: boolean;
}

/** Maximum number of inserts. A row with the same key may be refused between our insert and our look-up. */
const insertAttemptsMax = 3;

/**
 * Stores a row and returns when it is accepted. When its idempotency key is taken, returns the row of the first request.
 * @param insert returns null when the key is taken
 * @param findFirst finds the first request with the same key, and waits until it is decided
 * @throws AppError 500 when the key is taken at each attempt, though no request with it is found; what `insert` and `findFirst` throw
 */
export async function acceptOnce<Row>(
  insert: () => Promise<Row | null>,
  findFirst: () => Promise<AcceptedRow<Row> | null>,
): Promise<AcceptedRow<Row>> {
  for (let attempt = 1; attempt <= insertAttemptsMax; attempt += 1) {
    const row = await insert();
    if (row !== null) return { row, isReplay: false };
    const first = await findFirst();
    if (first !== null) return first;
  }
  throw internal(new Error('the idempotency key is taken again and again'), 1);
}

/**
 * The row of the first request with this idempotency key; null when there is none.
 * @param digests of this request. More than one if versions of this program make different ones
 * @param find looks the row up by its possible keys
 * @throws AppError 422 when the first request was a different one, or its data were erased
 */
export async function findFirstRequest<Found extends { request_digest: Buffer | null }>(
  deps: Pick<Deps, 'config' | 'db'>,
  key: string | null,
  digests: readonly (Buffer | null)[],
  find: (keys: string[]) => Promise<Found | null>,
): Promise<Found | null> {
  if (key === null || digests.every((digest) => digest === null)) return null;
  const stored = await storedForms(deps, key, digests);
  const found = await find(stored.keys);
  const isSame = stored.digests.some((digest) => found?.request_digest?.equals(digest) === true);
  if (found !== null && !isSame) throw idempotencyMismatch();
  return found;
}
