import type { FailedRefund, ReversalChange } from './payment-event.js';

/**
 * A refund in another currency than its order, converted by the part of the charge that was refunded. Any other change is returned as it is:
 * neither a dispute nor a failed refund says how much the charge took.
 */
export function convertToOrderCurrency(
  order: { amount_cents: number; currency: string },
  change: ReversalChange | FailedRefund,
): ReversalChange | FailedRefund {
  if (change.kind !== 'refund' || change.currency === order.currency || change.chargeCents === null) return change;
  const { amountCents, beforeCents, chargeCents } = change;
  const convert = (cents: number) => Math.round((order.amount_cents * cents) / chargeCents);
  const before = beforeCents === null ? null : convert(beforeCents);
  return { ...change, amountCents: convert(amountCents), beforeCents: before, chargeCents: order.amount_cents, currency: order.currency };
}
