/** Refunds and disputes: takes back credits in proportion to the money that was taken back. */
import type { OrderRow } from '../../tables/credit-order.js';
import { type Database, select, type Transaction } from '../../db/database.js';
import { systemOrigin } from '../../rules/audit/origin.js';
import { toCredits } from '../../rules/billing/credits.js';
import type { FailedRefund, ReversalChange } from '../../rules/billing/payment-event.js';
import { recordAuditEvent } from '../audit/record-audit-event.js';
import { credit, takeBack } from './post-credits.js';

/** Stores the newest state of one refunded charge or one dispute, in whatever order the events come. */
export async function noteReversal(db: Database, transaction: Transaction, provider: string, change: ReversalChange): Promise<void> {
  const { cause, paymentId, amountCents, currency, isFinal, kind, at } = change;
  await select(db, note, [provider, cause, paymentId, amountCents, currency, isFinal, kind === 'refund', at], transaction);
}

// Times are whole seconds. Of several refunds in one second, the greatest sum is the newest. A decided dispute does not change.
const note = `
  INSERT INTO payment_reversals AS r (provider, cause, payment_id, amount_cents, currency, is_final, as_of) VALUES ($1, $2, $3, $4, $5, $6, $8)
  ON CONFLICT (provider, cause) DO UPDATE SET
    amount_cents = CASE WHEN $7 AND (excluded.as_of > r.as_of) IS NOT TRUE THEN GREATEST(r.amount_cents, excluded.amount_cents)
      ELSE excluded.amount_cents END,
    is_final = excluded.is_final, as_of = COALESCE(excluded.as_of, r.as_of), updated_at = now()
  WHERE NOT r.is_final AND (excluded.as_of < r.as_of) IS NOT TRUE`;

/** Stores that a refund has failed, once. */
export async function noteFailedRefund(db: Database, transaction: Transaction, provider: string, refund: FailedRefund): Promise<void> {
  const { cause, charge, amountCents, at } = refund;
  await select(db, noteFailure, [provider, cause, charge, amountCents, at], transaction);
}

const noteFailure = `
  INSERT INTO failed_refunds (provider, refund, charge, amount_cents, failed_at) VALUES ($1, $2, $3, $4, $5) ON CONFLICT DO NOTHING`;

/**
 * Adjusts the credits of a paid order to the money that was taken back.
 * @param eventId identifies the ledger entry
 * @returns whether a change was necessary
 */
export async function applyReversals(db: Database, transaction: Transaction, order: OrderRow, eventId: string): Promise<boolean> {
  const [sum] = await select<{ cents: number }>(db, reversedCents, [order.payment_id, order.currency], transaction);
  const cents = Math.min(order.amount_cents, sum?.cents ?? 0);
  const wanted = Math.round((order.credits * cents) / order.amount_cents);
  if (wanted === order.reversed) return false;
  await select(db, 'UPDATE credit_orders SET reversed = $2 WHERE id = $1', [order.id, wanted], transaction);
  const posting = { reference: eventId, amount: Math.abs(wanted - order.reversed) };
  const { workspace_id: workspaceId, package_name: name } = order;
  if (wanted > order.reversed) {
    await takeBack(db, transaction, workspaceId, { ...posting, description: `Payment taken back: credit package ${name}` });
  } else {
    await credit(db, transaction, workspaceId, 'adjustment', [{ ...posting, description: `Payment restored: credit package ${name}` }]);
  }
  await recordAuditEvent(db, transaction, systemOrigin('payment provider'), {
    workspaceId,
    type: wanted > order.reversed ? 'billing.payment_reversed' : 'billing.payment_restored',
    target: { type: 'order', id: order.id, name },
    changes: { credits: toCredits(posting.amount) },
  });
  return true;
}

// A state of a charge contains the refunds that failed later. One that is newer than a failure does not contain that refund any more.
const reversedCents = `
  SELECT COALESCE(sum(GREATEST(0, r.amount_cents - COALESCE((
    SELECT sum(f.amount_cents) FROM failed_refunds f
    WHERE f.provider = r.provider AND f.charge = r.cause AND (f.failed_at < r.as_of) IS NOT TRUE), 0))), 0)::bigint AS cents
  FROM payment_reversals r WHERE r.payment_id = $1 AND r.currency = $2`;
