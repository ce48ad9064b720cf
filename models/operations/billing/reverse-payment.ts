/** Refunds and disputes: takes back credits in proportion to the money that was taken back. */
import type { OrderRow } from '../../tables/credit-order.js';
import { type Database, lockName, select, type Transaction } from '../../db/database.js';
import { systemOrigin } from '../../rules/audit/origin.js';
import { toCredits } from '../../rules/billing/credits.js';
import type { FailedRefund, ReversalChange } from '../../rules/billing/payment-event.js';
import { type ChargeRefund, refundedCents, type ReturnedRefund } from '../../rules/billing/refunded-cents.js';
import { recordAuditEvent } from '../audit/record-audit-event.js';
import { credit, takeBack } from './post-credits.js';

/** Makes others who change what a payment has credited wait for the end of the transaction. */
export const lockPayment = (db: Database, transaction: Transaction, provider: string, paymentId: string): Promise<void> =>
  lockName(db, transaction, `${provider}:${paymentId}`);

/** Stores one more refund of a charge, or the newest state of a dispute, in whatever order the events come. */
export async function noteReversal(db: Database, transaction: Transaction, provider: string, change: ReversalChange): Promise<void> {
  const { cause, paymentId, amountCents, beforeCents, currency, isDecided, kind, at } = change;
  if (kind === 'refund') {
    await select(db, deleteOtherCurrency, [provider, cause, currency], transaction);
    await select(db, noteRefund, [provider, cause, beforeCents, amountCents, at], transaction);
  }
  await select(db, note, [provider, cause, paymentId, amountCents, currency, isDecided, kind === 'refund', at], transaction);
}

// Before the payment was known, the sums of the charge could not be converted. The new one contains them.
const deleteOtherCurrency = `
  WITH other AS (DELETE FROM payment_reversals WHERE provider = $1 AND cause = $2 AND currency <> $3 RETURNING provider, cause)
  DELETE FROM charge_refunds c USING other WHERE c.provider = other.provider AND c.charge = other.cause`;

// Also what a former version noted, which the next statement may replace.
const noteRefund = `
  INSERT INTO charge_refunds (provider, charge, before_cents, after_cents, as_of)
  SELECT r.provider, r.cause, NULL, r.amount_cents, r.as_of FROM payment_reversals r
  WHERE r.provider = $1 AND r.cause = $2 AND NOT EXISTS (
    SELECT FROM charge_refunds c
    WHERE c.provider = r.provider AND c.charge = r.cause AND c.after_cents = r.amount_cents AND c.as_of IS NOT DISTINCT FROM r.as_of)
  UNION ALL SELECT $1, $2, $3::bigint, $4::bigint, $5::timestamptz`;

// Times are whole seconds. Of several sums of one charge in one second, the greatest is the newest. Of several states of a dispute in one second, a
// decision is the newest; without one, the greatest sum is, because a warning has a lower sum than the dispute that it becomes. If a time is unknown,
// only another decision replaces a decision.
const note = `
  INSERT INTO payment_reversals AS r (provider, cause, payment_id, amount_cents, currency, is_final, as_of) VALUES ($1, $2, $3, $4, $5, $6, $8)
  ON CONFLICT (provider, cause) DO UPDATE SET
    amount_cents = excluded.amount_cents, is_final = excluded.is_final, updated_at = now(),
    as_of = CASE WHEN $7 THEN excluded.as_of ELSE COALESCE(excluded.as_of, r.as_of) END
  WHERE CASE
    WHEN excluded.as_of <> r.as_of THEN excluded.as_of > r.as_of
    WHEN $7 THEN excluded.amount_cents > r.amount_cents
    WHEN excluded.as_of = r.as_of THEN (excluded.is_final, excluded.amount_cents) > (r.is_final, r.amount_cents)
    ELSE excluded.is_final >= r.is_final END`;

/** Stores that a refund has failed, once. Several events may report it, all after the failure, so the earliest time is kept. */
export async function noteFailedRefund(db: Database, transaction: Transaction, provider: string, refund: FailedRefund): Promise<void> {
  const { cause, charge, amountCents, at } = refund;
  await select(db, noteFailure, [provider, cause, charge, amountCents, at], transaction);
}

const noteFailure = `
  INSERT INTO failed_refunds AS f (provider, refund, charge, amount_cents, failed_at) VALUES ($1, $2, $3, $4, $5)
  ON CONFLICT (provider, refund) DO UPDATE SET failed_at = LEAST(f.failed_at, excluded.failed_at)`;

/**
 * Adjusts the credits of a paid order to the money that was taken back.
 * @param eventId identifies the ledger entry
 * @returns whether a change was necessary
 */
export async function applyReversals(db: Database, transaction: Transaction, order: OrderRow, eventId: string): Promise<boolean> {
  const reversals = await select<ReversalRow>(db, reversalsOf, [order.payment_id, order.currency], transaction);
  const sum = reversals.reduce((cents, { refunds, returned }) => cents + refundedCents(refunds, returned), 0);
  const cents = Math.min(order.amount_cents, sum);
  const wanted = Math.round((order.credits * cents) / order.amount_cents);
  if (wanted === order.reversed) return false;
  await select(db, 'UPDATE credit_orders SET reversed = $2 WHERE id = $1', [order.id, wanted], transaction);
  const posting = { reference: eventId, amount: Math.abs(wanted - order.reversed) };
  const { workspace_id: workspaceId, package_name: name } = order;
  if (wanted > order.reversed) {
    await takeBack(db, transaction, workspaceId, { ...posting, description: `Payment taken back: credit package ${name}` });
  } else {
    const description = `Payment restored: credit package ${name}`;
    await credit(db, transaction, workspaceId, { kind: 'adjustment', ...posting, description });
  }
  await recordAuditEvent(db, transaction, systemOrigin('payment provider'), {
    workspaceId,
    type: wanted > order.reversed ? 'billing.payment_reversed' : 'billing.payment_restored',
    target: { type: 'order', id: order.id, name },
    changes: { credits: toCredits(posting.amount) },
  });
  return true;
}

/** A charge that was refunded; a dispute has one sum, and nothing of it is returned. */
interface ReversalRow {
  refunds: ChargeRefund[];
  returned: ReturnedRefund[];
}

const secondOf = (time: string) => `floor(extract(epoch FROM ${time}))`;

// The sum in payment_reversals may be one that a former version noted.
const reversalsOf = `
  SELECT (SELECT json_agg(json_build_object('before', c.before_cents, 'after', c.after_cents, 'at', ${secondOf('c.as_of')})) FROM (
      SELECT before_cents, after_cents, as_of FROM charge_refunds WHERE provider = r.provider AND charge = r.cause
      UNION ALL SELECT NULL, r.amount_cents, r.as_of) c) AS refunds,
    (SELECT COALESCE(json_agg(json_build_object('amount', f.amount_cents, 'at', ${secondOf('f.failed_at')})), '[]') FROM failed_refunds f
      WHERE f.provider = r.provider AND f.charge = r.cause) AS returned
  FROM payment_reversals r WHERE r.payment_id = $1 AND r.currency = $2`;
