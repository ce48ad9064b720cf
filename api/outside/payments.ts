/** The payment provider, Stripe. Its SDK is large and rarely needed, so it is loaded on first use. */
import type { IncomingHttpHeaders } from 'node:http';
import type { Stripe } from 'stripe';
import type { Config } from '../../models/settings/config.js';
import type { OrderRow } from '../../models/tables/credit-order.js';
import { billingNotConfigured, internal, invalidJson, invalidPaymentSignature, purchaseFailed } from '../../models/errors.js';
import type { Logger } from '../../models/process/logger.js';
import { keyMode } from '../../models/rules/billing/key-mode.js';
import { type PaymentEvent, readStripeEvent } from '../../models/rules/billing/payment-event.js';

export interface Payments {
  /** Whether billing is configured: credits can be sold, and payments credited. */
  readonly canSell: boolean;
  /**
   * Creates the hosted payment page of an order. The order's id is the idempotency key of the call, so repeating it creates one page.
   * @throws AppError 402 when the provider refuses, 500 when it does not answer or fails
   */
  openSession(order: OrderRow): Promise<{ id: string; url: string }>;
  /**
   * Checks the headers of a callback before its body is read.
   * @throws AppError 400 for a malformed signature, 503 without a signing secret
   */
  checkHead(headers: IncomingHttpHeaders): void;
  /**
   * Verifies and reads a callback.
   * @throws AppError 400 for a wrong signature, or one whose time differs by more than five minutes; 503 without a signing secret
   */
  readEvent(headers: IncomingHttpHeaders, body: Buffer): Promise<PaymentEvent>;
}

const timeoutMs = 5000;
const toleranceSeconds = 300;

/** Creates the client. It connects to the provider on first use. */
export function createPayments({ stripe, publicUrl }: Pick<Config, 'stripe' | 'publicUrl'>, logger: Logger): Payments {
  return new StripePayments(stripe, publicUrl, logger);
}

class StripePayments implements Payments {
  readonly canSell: boolean;
  readonly #sdk = lazily(() => import('stripe'));
  readonly #client = lazily(async () => {
    const { Stripe: Client } = await this.#sdk();
    const { secretKey = '', apiBase } = this.stripe;
    return new Client(secretKey, { ...addressOf(apiBase), timeout: timeoutMs, maxNetworkRetries: 1, telemetry: false });
  });

  constructor(
    private readonly stripe: Config['stripe'],
    private readonly publicUrl: string,
    private readonly logger: Logger,
  ) {
    // Without the secret, the event that credits a payment would be refused.
    this.canSell = stripe.secretKey !== undefined && stripe.webhookSecret !== undefined;
  }

  async openSession(order: OrderRow): Promise<{ id: string; url: string }> {
    if (!this.canSell) throw billingNotConfigured();
    const { checkout } = await this.#client();
    const wanted = sessionOf(order, this.publicUrl);
    const session = await checkout.sessions.create(wanted, { idempotencyKey: order.id }).catch((error: unknown) => {
      this.logger.warn({ err: error, order_id: order.id }, 'the payment provider did not create a session');
      throw isRefusal(error) ? purchaseFailed(error) : internal(error, 5);
    });
    if (typeof session.id !== 'string' || typeof session.url !== 'string')
      throw internal(new Error('the payment provider did not create a session'), 5);
    return { id: session.id, url: session.url };
  }

  checkHead({ 'stripe-signature': signature }: IncomingHttpHeaders): void {
    if (this.stripe.webhookSecret === undefined) throw billingNotConfigured();
    if (typeof signature !== 'string' || !signatureForm.test(signature)) throw invalidPaymentSignature();
  }

  async readEvent({ 'stripe-signature': signature }: IncomingHttpHeaders, body: Buffer): Promise<PaymentEvent> {
    const { secretKey, webhookSecret } = this.stripe;
    if (webhookSecret === undefined) throw billingNotConfigured();
    const { Stripe: Client } = await this.#sdk();
    const raw = decoded(body);
    if (raw === null || typeof signature !== 'string' || isFromTheFuture(signature)) throw invalidPaymentSignature();
    const event = readStripeEvent(verified(Client, raw, signature, webhookSecret), raw);
    if (event === null) throw invalidJson();
    if (isOfMode(event, secretKey)) return event;
    // The event is acknowledged, because Stripe would repeat it for days. It is ignored, because test payments must not become credits.
    this.logger.error(
      { event_id: event.id, live: event.isLive },
      'a payment event has another mode (test or live) than STRIPE_SECRET_KEY: nothing was credited. Set key and signing secret of one mode',
    );
    return { ...event, change: null };
  }
}

/** A key without a mode in its prefix accepts events of both modes. */
function isOfMode({ isLive }: PaymentEvent, secretKey?: string): boolean {
  const mode = keyMode(secretKey);
  return mode === undefined || isLive === (mode === 'live');
}

/** The signature part of the header. */
const signatureForm = /(?:^|,)\s*v1=[0-9a-f]{64}\s*(?:,|$)/;

function verified({ webhooks }: typeof Stripe, raw: string, signature: string, webhookSecret: string): unknown {
  try {
    return webhooks.constructEvent(raw, signature, webhookSecret, toleranceSeconds);
  } catch (error) {
    // The SDK throws several kinds of errors for a wrong header. The only other fault is a correctly signed body that is not JSON.
    throw error instanceof SyntaxError ? invalidJson() : invalidPaymentSignature();
  }
}

function sessionOf({ id, amount_cents, currency, package_name }: OrderRow, publicUrl: string): Stripe.Checkout.SessionCreateParams {
  const price_data = { currency, unit_amount: amount_cents, product_data: { name: `${package_name}: message credits` } };
  return {
    mode: 'payment',
    line_items: [{ quantity: 1, price_data }],
    client_reference_id: id,
    metadata: { order_id: id },
    payment_intent_data: { metadata: { order_id: id } },
    success_url: `${publicUrl}/billing/return?checkout=success`,
    cancel_url: `${publicUrl}/billing/return?checkout=cancelled`,
  };
}

function addressOf(apiBase: string): { protocol: 'http' | 'https'; host: string; port: string } {
  const { protocol, hostname, port } = new URL(apiBase);
  const usual = protocol === 'https:' ? ({ protocol: 'https', port: '443' } as const) : ({ protocol: 'http', port: '80' } as const);
  return { protocol: usual.protocol, host: hostname.replaceAll(/[[\]]/g, ''), port: port || usual.port };
}

/** A concurrent call with the same key, and rate limiting. The order may succeed later. */
const temporaryRefusals: readonly number[] = [409, 429];

/** Whether the provider refused the order. */
function isRefusal(error: unknown): boolean {
  const { statusCode = 0 } = error as { statusCode?: number };
  return statusCode >= 400 && statusCode < 500 && !temporaryRefusals.includes(statusCode);
}

/** The body as text, without any change, because the signature covers its bytes; null if it is not UTF-8. */
function decoded(body: Buffer): string | null {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(body);
  } catch {
    return null;
  }
}

/** The SDK refuses old signatures, but not those with a time in the future. */
function isFromTheFuture(signature: string): boolean {
  const latest = Date.now() / 1000 + toleranceSeconds;
  return [...signature.matchAll(/(?:^|,)\s*t=(\d+)/g)].some(([, seconds]) => Number(seconds) > latest);
}

function lazily<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined;
  return () => {
    made ??= make();
    return made;
  };
}
