/** What an event of the payment provider says, in our words. Stripe's shapes are read here and nowhere else. */

/** A checkout session that came to something. */
export interface SessionChange {
  kind: 'session';
  sessionId: string;
  /** The order that we named when we opened the session: only for the moment before its id is stored. */
  orderId: string | null;
  /** What refunds and disputes will name. */
  paymentId: string;
  amountCents: number | null;
  currency: string | null;
  state: 'paid' | 'pending' | 'failed' | 'expired';
}

/** What was taken back of a payment by one cause, in all. */
export interface ReversalChange {
  kind: 'refund' | 'dispute';
  /** Id of the refunded charge, or of the dispute. */
  cause: string;
  paymentId: string;
  amountCents: number;
  currency: string;
  /** Nothing that comes later changes it: events arrive in any order. */
  isFinal: boolean;
}

export type PaymentChange = SessionChange | ReversalChange;

export interface PaymentEvent {
  provider: string;
  id: string;
  type: string;
  /** Real money; false: a test. */
  isLive: boolean;
  /** Null for events that mean nothing to us. */
  change: PaymentChange | null;
  /** Word for word. */
  raw: string;
}

type Fields = Readonly<Record<string, unknown>>;

/** Reads a verified event; null when it is no event at all. */
export function readStripeEvent(event: unknown, raw: string): PaymentEvent | null {
  const { id, type, data, livemode } = fieldsOf(event);
  if (typeof id !== 'string' || typeof type !== 'string') return null;
  return { provider: 'stripe', id, type, isLive: livemode === true, change: changeOf(type, fieldsOf(fieldsOf(data).object)), raw };
}

function changeOf(type: string, object: Fields): PaymentChange | null {
  if (type.startsWith('checkout.session.')) return sessionChange(type.slice('checkout.session.'.length), object);
  if (type === 'charge.refunded') return refund(object);
  if (type.startsWith('charge.dispute.')) return dispute(object);
  return null;
}

function sessionChange(
  what: string,
  { id, payment_status, payment_intent, amount_total, currency, client_reference_id, metadata }: Fields,
): SessionChange | null {
  // What is not `unpaid` may be fulfilled: the provider's own rule (docs.stripe.com/checkout/fulfillment).
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

/** `amount_refunded` is the sum of all refunds of the charge: the largest seen is the newest. */
function refund({ id, payment_intent, amount_refunded, currency }: Fields): ReversalChange | null {
  const paymentId = idOf(payment_intent);
  if (typeof id !== 'string' || paymentId === null || !isAmount(amount_refunded) || typeof currency !== 'string') return null;
  return { kind: 'refund', cause: id, paymentId, amountCents: amount_refunded, currency, isFinal: false };
}

/** A dispute takes the money back at once; when it is won the money returns. An early warning takes nothing. */
function dispute({ id, payment_intent, amount, currency, status }: Fields): ReversalChange | null {
  const paymentId = idOf(payment_intent);
  if (typeof id !== 'string' || paymentId === null || !isAmount(amount) || typeof currency !== 'string') return null;
  const isHarmless = status === 'won' || (typeof status === 'string' && status.startsWith('warning_'));
  const isFinal = status === 'won' || status === 'lost';
  return { kind: 'dispute', cause: id, paymentId, amountCents: isHarmless ? 0 : amount, currency, isFinal };
}

const fieldsOf = (value: unknown): Fields => (typeof value === 'object' && value !== null ? (value as Fields) : {});
const textOf = (value: unknown): string | null => (typeof value === 'string' ? value : null);
/** An object may come by its id or, expanded, as a whole. */
const idOf = (value: unknown): string | null => textOf(value) ?? textOf(fieldsOf(value).id);
const isAmount = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) >= 0;
