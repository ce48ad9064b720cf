/** Events in the format of the payment provider, signed by its SDK, and a fake Stripe that a test controls. */
import { randomUUID } from 'node:crypto';
import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import { Stripe } from 'stripe';
import { type Counterpart, reply, startCounterpart } from './counterpart.js';

export const webhookSecret = 'whsec_test_of_the_tests';
export const stripeEnv = (apiBase: string) => ({
  STRIPE_SECRET_KEY: 'sk_test_tests',
  STRIPE_WEBHOOK_SECRET: webhookSecret,
  STRIPE_API_BASE: apiBase,
});

export interface PaymentEvent {
  id?: string;
  type: string;
  object: Record<string, unknown>;
  /** The fields of the object that changed, as they were before. */
  previous?: Record<string, unknown> | undefined;
  livemode?: boolean | undefined;
  /** When it happened, in seconds since 1970. */
  created?: number | undefined;
}

/** The bytes of an event. */
export const eventText = ({ id = `evt_${randomUUID()}`, type, object, previous, livemode = false, created = 1 }: PaymentEvent) =>
  JSON.stringify({ id, object: 'event', type, created, livemode, data: { object, previous_attributes: previous } });

/** The value of `Stripe-Signature`, made by the SDK. */
export const signature = (payload: string, { secret = webhookSecret, ageSeconds = 0 } = {}) =>
  Stripe.webhooks.generateTestHeaderString({ payload, secret, timestamp: Math.floor(Date.now() / 1000) - ageSeconds });

export interface AskedSession {
  form: URLSearchParams;
  headers: IncomingHttpHeaders;
}

export interface StripeCounterpart extends Counterpart {
  asked: AskedSession[];
  /** Handles a request. Default: creates a session. */
  answer: (response: ServerResponse, asked: AskedSession) => void;
}

/** Starts the provider. It creates a new session for every request, like a provider without idempotency keys. */
export async function startStripe(): Promise<StripeCounterpart> {
  let count = 0;
  const counterpart: StripeCounterpart = {
    ...(await startCounterpart(({ headers, body }, response) => {
      const asked = { form: new URLSearchParams(body), headers };
      counterpart.asked.push(asked);
      counterpart.answer(response, asked);
    })),
    asked: [],
    answer(response) {
      count += 1;
      const url = `https://pay.example.test/${count}`;
      reply(response, 200, { id: `cs_test_${count}_${randomUUID()}`, object: 'checkout.session', url });
    },
  };
  return counterpart;
}

/** Refuses a request in the format of Stripe. */
export const refuseWith =
  (status: number): StripeCounterpart['answer'] =>
  (response) =>
    void reply(response, status, { error: { type: 'card_error', message: 'secret words of the provider' } });
