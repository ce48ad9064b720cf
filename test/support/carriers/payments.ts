/** Events in the format of the payment provider, signed by its SDK, and a fake provider that a test controls. */
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Stripe } from 'stripe';

export const webhookSecret = 'whsec_test_of_the_tests';
export const stripeEnv = (apiBase: string) => ({
  STRIPE_SECRET_KEY: 'sk_test_tests',
  STRIPE_WEBHOOK_SECRET: webhookSecret,
  STRIPE_API_BASE: apiBase,
});

export interface SentEvent {
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
export const eventText = ({ id = `evt_${randomUUID()}`, type, object, previous, livemode = false, created = 1 }: SentEvent) =>
  JSON.stringify({ id, object: 'event', type, created, livemode, data: { object, previous_attributes: previous } });

/** The value of `Stripe-Signature`, made by the SDK. */
export const signature = (payload: string, { secret = webhookSecret, ageSeconds = 0 } = {}) =>
  Stripe.webhooks.generateTestHeaderString({ payload, secret, timestamp: Math.floor(Date.now() / 1000) - ageSeconds });

export interface AskedSession {
  form: URLSearchParams;
  headers: IncomingHttpHeaders;
}

export interface FakeProvider {
  url: string;
  asked: AskedSession[];
  /** Handles a request. Default: creates a session. */
  answer: (response: ServerResponse, asked: AskedSession) => void;
  close(): Promise<void>;
}

/** Starts the provider. It creates a new session for every request, like a provider without idempotency keys. */
export async function startFakeProvider(): Promise<FakeProvider> {
  let count = 0;
  const open: FakeProvider['answer'] = (response) => {
    count += 1;
    json(response, 200, { id: `cs_test_${count}_${randomUUID()}`, object: 'checkout.session', url: `https://pay.example.test/${count}` });
  };
  const server = createServer((request, response) => {
    let text = '';
    request.on('data', (chunk: Buffer) => (text += chunk));
    request.on('end', () => {
      const asked = { form: new URLSearchParams(text), headers: request.headers };
      provider.asked.push(asked);
      provider.answer(response, asked);
    });
  }).listen(0, '127.0.0.1');
  const provider: FakeProvider = {
    url: '',
    asked: [],
    answer: open,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
  await once(server, 'listening');
  provider.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return provider;
}

const json = (response: ServerResponse, status: number, body: object): void =>
  void response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(body));

/** Refuses a request in the format of Stripe. */
export const refuseWith =
  (status: number): FakeProvider['answer'] =>
  (response) =>
    json(response, status, { error: { type: 'card_error', message: 'secret words of the provider' } });
