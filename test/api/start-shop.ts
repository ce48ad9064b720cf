/** The API, a payment provider that is played, and somebody who buys. */
import assert from 'node:assert/strict';
import { CreditPackage } from '../../models/credit-package.js';
import { rows } from '../support/database.js';
import { assertBooks } from '../support/invariants.js';
import { balanceOf, ledgerOf } from '../support/messages.js';
import { eventText, type SentEvent, signature, startFakeProvider, stripeEnv } from '../support/payments.js';
import { type Account, type Answer, startApp, type TestApp } from './start-app.js';

/** Where the payment provider posts its events. */
export const eventsPath = '/api/v1/billing/webhook';

/** A bought package: 100 credits for 5.00, and the events that it may have. */
export interface Purchase {
  sessionId: string;
  session(what?: string, changes?: object): SentEvent;
  refund(cents: number, changes?: object): SentEvent;
  dispute(what: string, status: string): SentEvent;
}

export interface Shop {
  app: TestApp;
  /** Who buys; see `open`. */
  buyer: Account;
  /** Forgets all orders and events, and makes a new buyer without credits. */
  open(): Promise<void>;
  buy(payment?: string): Promise<Purchase>;
  post(text: string, header?: string): Promise<Answer>;
  /** Posts an event that is answered 200. */
  send(event: SentEvent): Promise<void>;
  /** What became of the events, in the order in which they came. */
  outcomes(): Promise<string[]>;
  balance(): Promise<number | undefined>;
  ledger(): Promise<string[]>;
  assertBooks(): Promise<void>;
  close(): Promise<void>;
}

export async function startShop(): Promise<Shop> {
  const provider = await startFakeProvider();
  const app = await startApp(stripeEnv(provider.url));
  const { db } = app.deps;
  const post: Shop['post'] = (text, header = signature(text)) =>
    app.call('POST', eventsPath, { body: text, headers: { 'Stripe-Signature': header } });
  const shop: Shop = {
    app,
    buyer: await app.account({ balance: 0 }),
    async open() {
      await rows(db, 'TRUNCATE credit_orders, payment_events, payment_reversals');
      shop.buyer = await app.account({ balance: 0 });
    },
    async buy(payment = 'pi_1') {
      const [starter] = await CreditPackage.forSale();
      const { body } = await app.call('POST', '/api/v1/billing/checkout', { jwt: shop.buyer.jwt, body: { package_id: starter?.id } });
      return purchase(body.data.session_id, payment);
    },
    post,
    async send(event) {
      const answer = await post(eventText(event));
      assert.deepEqual([answer.status, answer.body.data], [200, { received: true }]);
    },
    outcomes: async () =>
      (await rows<{ outcome: string }>(db, 'SELECT outcome FROM payment_events ORDER BY received_at')).map(({ outcome }) => outcome),
    balance: () => balanceOf(db, shop.buyer.workspaceId),
    ledger: () => ledgerOf(db, shop.buyer.workspaceId),
    assertBooks: () => assertBooks(db),
    async close() {
      await app.close();
      await provider.close();
    },
  };
  return shop;
}

function purchase(sessionId: string, payment: string): Purchase {
  const common = { id: sessionId, payment_status: 'paid', payment_intent: payment, amount_total: 500, currency: 'usd' };
  return {
    sessionId,
    session: (what = 'completed', changes = {}) => ({ type: `checkout.session.${what}`, object: { ...common, ...changes } }),
    refund: (cents, changes = {}) => ({
      type: 'charge.refunded',
      object: { id: `ch_${payment}`, payment_intent: payment, amount: 500, amount_refunded: cents, currency: 'usd', ...changes },
    }),
    dispute: (what, status) => ({
      type: `charge.dispute.${what}`,
      object: { id: `dp_${payment}`, payment_intent: payment, charge: `ch_${payment}`, amount: 500, currency: 'usd', status },
    }),
  };
}
