/** Checkout sessions of the local payment provider, in the shapes of Stripe's API. */
import { randomBytes } from 'node:crypto';

/** A checkout session and the data of its payment. */
export interface LocalSession {
  id: string;
  /** `processing` simulates a payment method that takes time, such as a bank transfer. */
  state: 'open' | 'processing' | 'paid' | 'failed' | 'refunded';
  idempotencyKey: string | null;
  name: string;
  amount: number;
  currency: string;
  reference: string | null;
  metadata: Record<string, string>;
  successUrl: string;
  cancelUrl: string;
  created: number;
  paymentIntent: string | null;
}

/** A request that Stripe would refuse, with Stripe's error text. */
export class RefusedRequest extends Error {
  override readonly name = 'RefusedRequest';
}

/** The maximum amount of a payment: 999,999.99. */
const amountMax = 99_999_999;

/** An id such as `cs_test_…`. */
export const newId = (prefix: string) => `${prefix}_${randomBytes(18).toString('base64url').replaceAll(/[-_]/g, '0')}`;

/**
 * Parses the form that the SDK posts.
 * @throws RefusedRequest when Stripe would refuse it, too
 */
export function sessionFrom(form: URLSearchParams, idempotencyKey: string | null): LocalSession {
  const item = 'line_items[0]';
  const need = (name: string) => {
    const value = form.get(name);
    if (value === null || value === '') throw new RefusedRequest(`Missing required param: ${name}.`);
    return value;
  };
  if (need('mode') !== 'payment') throw new RefusedRequest('The local checkout supports only the mode payment.');
  const amount = Number(need(`${item}[price_data][unit_amount]`)) * Number(form.get(`${item}[quantity]`) ?? 1);
  if (!Number.isSafeInteger(amount) || amount < 1 || amount > amountMax) throw new RefusedRequest('Invalid total amount.');
  const metadata = [...form].flatMap(([name, value]) => {
    const [, key] = /^metadata\[(.+)\]$/.exec(name) ?? [];
    return key === undefined ? [] : [[key, value] as const];
  });
  return {
    id: newId('cs_test'),
    state: 'open',
    idempotencyKey,
    name: need(`${item}[price_data][product_data][name]`),
    amount,
    currency: need(`${item}[price_data][currency]`),
    reference: form.get('client_reference_id'),
    metadata: Object.fromEntries(metadata),
    successUrl: need('success_url').replace('{CHECKOUT_SESSION_ID}', ''),
    cancelUrl: form.get('cancel_url') ?? need('success_url'),
    created: seconds(),
    paymentIntent: null,
  };
}

/** The session in the format of Stripe's API. */
export const sessionObject = (session: LocalSession, url: string) => ({
  id: session.id,
  object: 'checkout.session',
  livemode: false,
  mode: 'payment',
  created: session.created,
  status: session.state === 'open' ? 'open' : 'complete',
  payment_status: session.state === 'paid' || session.state === 'refunded' ? 'paid' : 'unpaid',
  payment_intent: session.paymentIntent,
  amount_subtotal: session.amount,
  amount_total: session.amount,
  currency: session.currency,
  client_reference_id: session.reference,
  metadata: session.metadata,
  success_url: session.successUrl,
  cancel_url: session.cancelUrl,
  url: session.state === 'open' ? url : null,
});

/** The charge of a paid session that was fully refunded. */
export const refundedCharge = ({ paymentIntent, amount, currency, metadata, created }: LocalSession) => ({
  id: `ch_${paymentIntent?.slice('pi_'.length)}`,
  object: 'charge',
  livemode: false,
  created,
  payment_intent: paymentIntent,
  amount,
  amount_captured: amount,
  amount_refunded: amount,
  refunded: true,
  paid: true,
  status: 'succeeded',
  currency,
  metadata,
});

/** The current time in seconds since 1970, as in Stripe's API. */
export const seconds = () => Math.floor(Date.now() / 1000);
