/**
 * The only writer of charges that move within a fallback chain. A step is charged the difference to what its chain has paid. If the charge that
 * made the difference is refunded afterwards, the step takes over the missing part of its price from that refund.
 */
import { type Database, select, selectIds, type Transaction } from '../../db/database.js';
import { type ChargedStep, takenOver } from '../../rules/messages/fallback.js';
import { column, recordset } from '../../tables/columns.js';
import type { StatusRow } from '../../tables/message.js';

/** What is refunded for a message of a chain. */
export interface ChainRefund {
  /** Its cost without what later steps take over. */
  amount: number;
  /** The reference of the debit that paid for it. */
  debit: string;
}

/**
 * Moves the charges of these messages, which fail and are refunded in this transaction, to later steps of their chains as far as those were
 * discounted by them. The caller refunds the rest.
 *
 * A message that took over a charge was paid by several debits of its chain, perhaps of different days. Its refund names the oldest: it counts
 * for a day only if all of them were made on it, so that a day never spends more than its limit.
 * @returns the refunds by the ids of the messages. A message that is missing is refunded its own debit in full
 */
export async function takeOverCharges(db: Database, transaction: Transaction, refunded: StatusRow[]): Promise<Map<string, ChainRefund>> {
  const refunds = new Map<string, ChainRefund>();
  const singles = refunded.filter(({ batch_id }) => batch_id === null).map(({ id }) => id);
  if (singles.length === 0) return refunds;
  for (const { id, is_followed, is_paid_by_others } of await select<Place>(db, placesOf, [singles], transaction)) {
    if (is_followed) await lockLaterSteps(db, transaction, id);
    const chain = await select<ChargedStep>(db, chainWith, [id], transaction);
    const parts = is_followed ? takenOver(chain, id) : [];
    if (parts.length > 0) await select(db, transfer, [id, JSON.stringify(parts)], transaction);
    const taken = parts.reduce((sum, { amount }) => sum + amount, 0);
    const cost = chain.find((step) => step.id === id)?.cost ?? 0;
    refunds.set(id, { amount: cost - taken, debit: is_paid_by_others ? (chain[0]?.id ?? id) : id });
  }
  return refunds;
}

interface Place {
  id: string;
  /** A step was sent after it. */
  is_followed: boolean;
  /** It took over a charge. */
  is_paid_by_others: boolean;
}

// Almost all messages are in no chain. Later steps of a chain have higher ids, so that their locks keep the order of ids.
const placesOf = `
  SELECT p.id, p.is_followed, p.is_paid_by_others FROM (
    SELECT given.id, EXISTS (SELECT 1 FROM fallbacks f WHERE f.message_id = given.id AND f.next_id IS NOT NULL) AS is_followed,
      EXISTS (SELECT 1 FROM charge_transfers t WHERE t.to_id = given.id) AS is_paid_by_others
    FROM unnest($1::uuid[]) AS given (id)
  ) p WHERE p.is_followed OR p.is_paid_by_others ORDER BY p.id`;

/**
 * Locks the steps after a locked message one after the other: the next step is stored under the lock of the one before it. So messages of a
 * chain that fail at the same time are refunded one after the other, and each sees what the others left.
 */
async function lockLaterSteps(db: Database, transaction: Transaction, id: string): Promise<void> {
  const [next] = await selectIds(db, lockNext, [id], transaction);
  if (next !== undefined) await lockLaterSteps(db, transaction, next);
}

const lockNext = 'SELECT m.id FROM fallbacks f JOIN messages m ON m.id = f.next_id WHERE f.message_id = $1 FOR UPDATE OF m';

// A message that failed before its hand-off was refunded, also if a later report says that it was delivered. Steps that were erased before
// their prices were kept count with what they cost.
const chainWith = `
  WITH RECURSIVE before AS (
    SELECT $1::uuid AS id, 0 AS place UNION ALL SELECT f.message_id, before.place - 1 FROM before JOIN fallbacks f ON f.next_id = before.id
  ), later AS (
    SELECT $1::uuid AS id, 0 AS place
    UNION ALL SELECT f.next_id, later.place + 1 FROM later JOIN fallbacks f ON f.message_id = later.id WHERE f.next_id IS NOT NULL
  )
  SELECT m.id, m.cost, m.status = 'queued' OR m.sent_at IS NOT NULL AS "isCharged", COALESCE((f.steps -> 0 ->> 'price')::bigint, m.cost) AS price
  FROM (SELECT * FROM before UNION SELECT * FROM later) chain JOIN messages m ON m.id = chain.id LEFT JOIN fallbacks f ON f.next_id = m.id
  ORDER BY chain.place`;

const transfer = `
  WITH taken AS (
    INSERT INTO charge_transfers (from_id, to_id, amount) SELECT $1, p.id, p.amount
    FROM ${recordset('$2', 'p', { id: column.uuid(), amount: column.bigint() })}
    RETURNING to_id, amount
  )
  UPDATE messages m SET cost = m.cost + taken.amount, credits_used = m.credits_used + taken.amount FROM taken WHERE m.id = taken.to_id`;
