import { type Database, select, type Transaction } from '../../db/database.js';
import { recordStatuses, type StatusChange } from './record-statuses.js';

/**
 * Locks those of these messages that were not handed off, and the later steps of their chains, because a refund may change what those cost: all
 * in one order.
 * @returns the ids of the messages that can be cancelled, in their order
 */
async function lockCancellable(db: Database, transaction: Transaction, ids: readonly string[]): Promise<string[]> {
  const locked = await select<{ id: string; is_cancellable: boolean }>(db, lock, [ids], transaction);
  return locked.filter(({ is_cancellable }) => is_cancellable).map(({ id }) => id);
}

/** Cancels those of these messages that were not handed off, with refunds and events. @param why the text of their error */
export async function cancelMessages(db: Database, transaction: Transaction, ids: readonly string[], why: string): Promise<void> {
  const locked = await lockCancellable(db, transaction, ids);
  await recordStatuses(db, transaction, { ...cancelling, changes: cancelledChanges(locked, why) });
}

/** The move of messages that are cancelled. It leaves out messages that were handed off, or for which a call may have reached a carrier. */
export const cancelling = { to: 'failed', from: ['queued'], details: ['scheduled', 'accepted'] } as const;

/** The changes of messages that are cancelled. @param why the text of their error */
export function cancelledChanges(ids: readonly string[], why: string): StatusChange[] {
  const at = new Date();
  return ids.map((id) => ({ id, status_detail: 'cancelled', at, error_code: 'cancelled', error_message: why }));
}

/** The text of the error after the workspace was closed. */
export const accountClosed = 'The account was closed before the message was handed to the carrier';

const [status] = cancelling.from;
/** SQL: the message `m` can be cancelled, as `cancelling` says. */
export const isCancellable = `(m.status = '${status}' AND m.status_detail IN ('${cancelling.details.join("', '")}'))`;

const lock = `
  WITH RECURSIVE chain AS (
    SELECT m.id FROM messages m WHERE m.id = ANY($1::uuid[]) AND ${isCancellable}
    UNION SELECT f.next_id FROM chain JOIN fallbacks f ON f.message_id = chain.id WHERE f.next_id IS NOT NULL
  )
  SELECT m.id, m.id = ANY($1::uuid[]) AND ${isCancellable} AS is_cancellable
  FROM messages m WHERE m.id IN (SELECT id FROM chain) ORDER BY m.id FOR UPDATE`;
