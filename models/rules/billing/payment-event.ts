/** Converts events of the payment provider to our terms. Only this file knows Stripe's formats. */
import { hasStorableTexts } from '../values/text.js';
import { endOfYear9999 } from '../values/timestamp.js';

/** A result of a checkout session. */
export interface SessionChange {
  kind: 'session';
  sessionId: string;
  /** The order that we named when we opened the session. Only used before the session's id is stored. */
  orderId: string | null;
  /** The id that refunds and disputes will refer to. */
  paymentId: string;
  amountCents: number | null;
  currency: string | null;
  state: 'paid' | 'pending' | 'failed' | 'expired';
}

/** What one cause has taken back of a payment, in total. */
export interface ReversalChange {
  kind: 'refund' | 'dispute';
  /** The id of the refunded charge, or of the dispute. */
  cause: string;
  paymentId: string;
  amountCents: number;
  /** The sum before the refund that this event reports; null if unknown, and for a dispute. */
  beforeCents: number | null;
  /** What the refunded charge took, in the same currency; null if unknown, and for a dispute. */
  chargeCents: number | null;
  currency: string;
  /** The dispute is decided. Only a later event changes that; of the events of one second, the one with the decision is the newest. */
  isDecided: boolean;
  /** When this was its state; null if unknown. */
  at: Date | null;
}

/** A refund whose money did not reach the payer and came back. */
export interface FailedRefund {
  kind: 'failed_refund';
  /** The id of the refund. */
  cause: string;
  /** The refunded charge. */
  charge: string;
  paymentId: string;
  amountCents: number;
  currency: string;
  /** When it failed; null if unknown. */
  at: Date | null;
}

export type PaymentChange = SessionChange | ReversalChange | FailedRefund;

export interface PaymentEvent {
  provider: string;
  id: string;
  type: string;
  /** Real money; false: a test. */
  isLive: boolean;
  /** Null for events that have no effect. */
  change: PaymentChange | null;
  /** The original text. */
  raw: string;
}

type Fields = Readonly<Record<string, unknown>>;

/** Reads a verified event; null if it is not an event. */
export function readStripeEvent(event: unknown, raw: string): PaymentEvent | null {
  const { id, type, data, livemode, created } = fieldsOf(event);
  if (typeof id !== 'string' || typeof type !== 'string' || !hasStorableTexts({ id, type })) return null;
  const at = isAmount(created) && created < endOfYear9999 ? new Date(created * 1000) : null;
  const { object, previous_attributes } = fieldsOf(data);
  const change = changeOf(type, fieldsOf(object), fieldsOf(previous_attributes), at);
  // Every id of Stripe and every one of ours can be stored, so a change with other texts concerns no payment.
  const known = change !== null && hasStorableTexts(change) ? change : null;
  return { provider: 'stripe', id, type, isLive: livemode === true, change: known, raw };
}

function changeOf(type: string, object: Fields, before: Fields, at: Date | null): PaymentChange | null {
  if (type.startsWith('checkout.session.')) return sessionChange(type.slice('checkout.session.'.length), object);
  if (type === 'charge.refunded') return refund(object, before, at);
  if (refundEvents.has(type)) return failedRefund(object, at);
  if (type.startsWith('charge.dispute.')) return dispute(object, at);
  return null;
}

/** Events about one refund. Older accounts get the last one only. */
const refundEvents: ReadonlySet<string> = new Set(['refund.failed', 'refund.updated', 'charge.refund.updated']);

function sessionChange(
  what: string,
  { id, payment_status, payment_intent, amount_total, currency, client_reference_id, metadata }: Fields,
): SessionChange | null {
  // Everything that is not `unpaid` may be fulfilled: the provider's own rule (docs.stripe.com/checkout/fulfillment).
  const paid = payment_status === 'unpaid' ? 'pending' : 'paid';
  const states: Readonly<Record<string, SessionChange['state']>> = {
    completed: paid,
    async_payment_succeeded: paid,
    async_payment_failed: 'failed',
    expired: 'expired',
  };
  const state = states[what];
  if (state === undefined || typeof id !== 'string') return null;
  return {
    kind: 'session',
    sessionId: id,
    orderId: textOf(fieldsOf(metadata).order_id) ?? textOf(client_reference_id),
    paymentId: idOf(payment_intent) ?? id,
    amountCents: typeof amount_total === 'number' ? amount_total : null,
    currency: textOf(currency),
    state,
  };
}

/**
 * `amount_refunded` is the sum of all refunds of the charge. It grows with each, and shrinks when one fails, for which no such event is sent.
 * The event does not name the refund. What it added is the difference to the sum before.
 */
function refund(
  { id, payment_intent, amount_refunded, amount_captured, amount, currency }: Fields,
  before: Fields,
  at: Date | null,
): ReversalChange | null {
  const paymentId = idOf(payment_intent);
  if (typeof id !== 'string' || paymentId === null || !isAmount(amount_refunded) || typeof currency !== 'string') return null;
  const beforeCents = isAmount(before.amount_refunded) ? before.amount_refunded : null;
  const chargeCents = [amount_captured, amount].find((cents) => isAmount(cents) && cents > 0) as number | undefined;
  const sums = { amountCents: amount_refunded, beforeCents, chargeCents: chargeCents ?? null };
  return { kind: 'refund', cause: id, paymentId, ...sums, currency, isDecided: false, at };
}

const hasReturned: ReadonlySet<unknown> = new Set(['failed', 'canceled']);

/** Neither status changes any more. The other ones are part of the state of the charge. */
function failedRefund({ id, charge, payment_intent, amount, currency, status }: Fields, at: Date | null): FailedRefund | null {
  const [chargeId, paymentId] = [idOf(charge), idOf(payment_intent)];
  if (typeof id !== 'string' || chargeId === null || paymentId === null || !isAmount(amount) || typeof currency !== 'string') return null;
  return hasReturned.has(status)
    ? { kind: 'failed_refund', cause: id, charge: chargeId, paymentId, amountCents: amount, currency, at }
    : null;
}

/** A decision may change: rarely, a lost dispute is won later (docs.stripe.com/disputes/how-disputes-work). */
const decidedStatuses: ReadonlySet<unknown> = new Set(['won', 'lost', 'prevented']);

/**
 * A dispute takes the money back at once. If it is won, the money returns. An early warning takes nothing. The status counts, not the type of the
 * event: funds may be reinstated in part, because of an earlier refund, while the dispute is open or lost.
 */
function dispute({ id, payment_intent, amount, currency, status, payment_method_details }: Fields, at: Date | null): ReversalChange | null {
  const paymentId = idOf(payment_intent);
  if (typeof id !== 'string' || paymentId === null || !isAmount(amount) || typeof currency !== 'string') return null;
  // What was prevented was either blocked by the card network, or resolved by a refund.
  const isBlocked = status === 'prevented' && fieldsOf(fieldsOf(payment_method_details).card).case_type === 'block';
  const isHarmless = status === 'won' || isBlocked || (typeof status === 'string' && status.startsWith('warning_'));
  const isDecided = decidedStatuses.has(status);
  const sums = { amountCents: isHarmless ? 0 : amount, beforeCents: null, chargeCents: null };
  return { kind: 'dispute', cause: id, paymentId, ...sums, currency, isDecided, at };
}

const fieldsOf = (value: unknown): Fields => (typeof value === 'object' && value !== null ? (value as Fields) : {});
const textOf = (value: unknown): string | null => (typeof value === 'string' ? value : null);
/** A reference is an id or, if expanded, an object. */
const idOf = (value: unknown): string | null => textOf(value) ?? textOf(fieldsOf(value).id);
const isAmount = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) >= 0;
