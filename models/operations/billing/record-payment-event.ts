import type { OrderRow } from '../../tables/credit-order.js';
import { type Database, inTransaction, select, type Transaction } from '../../db/database.js';
import { systemOrigin } from '../../rules/audit/origin.js';
import { toCredits } from '../../rules/billing/credits.js';
import type { FailedRefund, PaymentEvent, ReversalChange, SessionChange } from '../../rules/billing/payment-event.js';
import { convertToOrderCurrency } from '../../rules/billing/convert-to-order-currency.js';
import { isUuid } from '../../rules/values/text.js';
import { recordAuditEvent } from '../audit/record-audit-event.js';
import { credit } from './post-credits.js';
import { applyReversals, lockPayment, noteFailedRefund, noteReversal } from './reverse-payment.js';

/**
 * The result of an event. `repeated`: it changed nothing because the same information came before. `unmatched`: it names no order of ours.
 * `mismatched`: it names another amount or currency than the order, and credits nothing.
 */
export type PaymentOutcome = 'credited' | 'noted' | 'repeated' | 'reversed' | 'ignored' | 'unmatched' | 'mismatched';

export interface RecordedPayment {
  outcome: PaymentOutcome;
  /** The workspace whose order the event names; null if no order is known, or not yet its session, and for a repeated event. */
  buyer: { id: string; isClosed: boolean } | null;
}

/**
 * Stores an event of the payment provider and applies it, in one transaction. A payment is credited once, whatever the number, the order
 * and the timing of the events about it. It is credited to a closed account, too, where its refund takes the credits back.
 */
export function recordPaymentEvent(db: Database, event: PaymentEvent): Promise<RecordedPayment> {
  return inTransaction(db, async (transaction) => {
    const { provider, id, type, raw, change } = event;
    // A second delivery of the event waits here for the commit of the first.
    const stored = await select(db, insertEvent, [provider, id, type], transaction);
    if (stored.length === 0) return { outcome: 'repeated', buyer: null };
    const outcome = await apply(db, transaction, { provider, id, change });
    const named = [change?.kind === 'session' ? change.sessionId : null, change?.paymentId ?? null];
    const [noted] = await select<Pick<RecordedPayment, 'buyer'>>(db, noteOutcome, [provider, id, outcome, ...named, raw], transaction);
    return { outcome, buyer: noted?.buyer ?? null };
  });
}

// An ignored event may be sent again after the setting that it contradicted was corrected.
const insertEvent = `
  INSERT INTO payment_events AS e (provider, event_id, type, outcome, raw) VALUES ($1, $2, $3, 'ignored', '')
  ON CONFLICT (provider, event_id) DO UPDATE SET type = excluded.type WHERE e.outcome = 'ignored' RETURNING event_id`;

/** The original text names the payer. It is kept only for an order, with which closing finds it, and not of a closed account. */
const noteOutcome = `
  WITH buyer AS MATERIALIZED (
    SELECT w.id, w.closed_at IS NOT NULL AS "isClosed" FROM credit_orders o JOIN workspaces w ON w.id = o.workspace_id
    WHERE o.session_id = $4 OR o.payment_id = $5 ORDER BY "isClosed" DESC LIMIT 1
  )
  UPDATE payment_events SET outcome = $3, raw = CASE (SELECT "isClosed" FROM buyer) WHEN false THEN $6 ELSE '' END
  WHERE provider = $1 AND event_id = $2 RETURNING (SELECT to_json(buyer) FROM buyer) AS buyer`;

async function apply(
  db: Database,
  transaction: Transaction,
  { provider, id, change }: Pick<PaymentEvent, 'provider' | 'id' | 'change'>,
): Promise<PaymentOutcome> {
  if (change === null) return 'ignored';
  // Payment and refund may arrive at the same time, and each must see the other.
  await lockPayment(db, transaction, provider, change.paymentId);
  if (change.kind === 'session') return applySession(db, transaction, change, id);
  return applyReversal(db, transaction, change, { provider, eventId: id });
}

async function applySession(db: Database, transaction: Transaction, change: SessionChange, eventId: string): Promise<PaymentOutcome> {
  const { sessionId, paymentId, amountCents, currency, state } = change;
  const orderId = change.orderId !== null && isUuid(change.orderId) ? change.orderId : null;
  const [order] = await select<LockedOrder>(db, lockOrder, [sessionId, orderId, paymentId], transaction);
  if (order === undefined) return 'unmatched';
  if (order.status === 'paid' || order.is_credited || (state === 'pending' && isOver.has(order.status))) return 'repeated';
  if (state !== 'paid') {
    await select(db, setStatus, [order.id, state, sessionId, null], transaction);
    return 'noted';
  }
  if (differs(amountCents, order.amount_cents) || differs(currency, order.currency)) return 'mismatched';
  await select(db, setStatus, [order.id, 'paid', sessionId, paymentId], transaction);
  await credit(db, transaction, order.workspace_id, {
    kind: 'purchase',
    reference: order.id,
    amount: order.credits,
    description: `Credit package ${order.package_name}`,
  });
  await recordAuditEvent(db, transaction, systemOrigin('payment provider'), {
    workspaceId: order.workspace_id,
    type: 'billing.credits_purchased',
    target: { type: 'order', id: order.id, name: order.package_name },
    changes: { credits: toCredits(order.credits), amount_cents: order.amount_cents, currency: order.currency },
  });
  await applyReversals(db, transaction, { ...order, payment_id: paymentId }, eventId);
  return 'credited';
}

/**
 * An event may omit the amount or the currency (both are nullable at the provider). An absent value is no contradiction, because the
 * session is ours.
 */
const differs = <T>(named: T | null, ordered: T) => named !== null && named !== ordered;

/** In these statuses, a late event about the start of a slow payment changes nothing. */
const isOver: ReadonlySet<string> = new Set(['failed', 'expired']);

interface LockedOrder extends OrderRow {
  /** The payment is that of a paid order: of this one, or of one that an operator has added for it. */
  is_credited: boolean;
}

// By our session id. The order's id counts only until that is stored, because the callback may be faster than the answer.
const lockOrder = `
  SELECT *, EXISTS (SELECT 1 FROM credit_orders p WHERE p.payment_id = $3) AS is_credited
  FROM credit_orders WHERE session_id = $1 OR id = $2::uuid AND session_id IS NULL
  ORDER BY session_id NULLS LAST LIMIT 1 FOR UPDATE`;

const setStatus = `
  UPDATE credit_orders SET status = $2, session_id = $3, payment_id = $4, paid_at = CASE $2 WHEN 'paid' THEN now() END WHERE id = $1`;

async function applyReversal(
  db: Database,
  transaction: Transaction,
  change: ReversalChange | FailedRefund,
  { provider, eventId }: { provider: string; eventId: string },
): Promise<PaymentOutcome> {
  const [order] = await select<OrderRow>(db, lockPaidOrder, [change.paymentId], transaction);
  const known = order === undefined ? change : convertToOrderCurrency(order, change);
  if (order !== undefined && known.currency !== order.currency) return 'mismatched';
  if (known.kind === 'failed_refund') await noteFailedRefund(db, transaction, provider, known);
  else await noteReversal(db, transaction, provider, known);
  if (order === undefined) return 'noted'; // about a payment that is not known yet, or not ours
  return (await applyReversals(db, transaction, order, eventId)) ? 'reversed' : 'repeated';
}

const lockPaidOrder = `SELECT * FROM credit_orders WHERE payment_id = $1 FOR UPDATE`;
