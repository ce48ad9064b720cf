/** The API, a fake payment provider, and a buyer. */
import assert from 'node:assert/strict';
import { auditNow } from '../../../models/operations/billing/audit-books.js';
import type { Difference } from '../../../models/rules/billing/difference-text.js';
import { CreditPackage } from '../../../models/tables/credit-package.js';
import { rows } from '../../support/database.js';
import { assertBooks } from '../../../harness/checks/invariants.js';
import { balanceOf, ledgerOf } from '../../support/rows/messages.js';
import { eventText, type PaymentEvent, signature, startStripe, stripeEnv } from '../../support/carriers/payments.js';
import type { Account, Answer, TestApp } from '../start-app.js';
import { useApi } from '../use-api.js';

/** Where the payment provider posts its events. */
export const eventsPath = '/api/v1/billing/webhook';

/** A bought package: 100 credits for 5.00, and the events that it may have. */
export interface Purchase {
  sessionId: string;
  session(what?: string, changes?: object): PaymentEvent;
  /** The charge after a refund. @param cents the sum of its refunds @param at when, in seconds since 1970 */
  refund(cents: number, changes?: object, at?: number): PaymentEvent;
  /** One refund that has changed. */
  changedRefund(what: string, refund: { id: string; amount: number; status: string }, at?: number): PaymentEvent;
  dispute(what: string, status: string, at?: number): PaymentEvent;
}

/** The hooks fill `app` and `buyer`: they are to be read in hooks and tests. */
export interface Shop {
  app: TestApp;
  /** Who buys, without credits at first. */
  buyer: Account;
  buy(payment?: string): Promise<Purchase>;
  post(text: string, header?: string): Promise<Answer>;
  /** Posts an event that is answered 200. */
  send(event: PaymentEvent): Promise<void>;
  /** What became of the events, in the order in which they came. */
  outcomes(): Promise<string[]>;
  balance(): Promise<number | undefined>;
  ledger(): Promise<string[]>;
}

/** A shop for the file, called in a `describe`; for each test a new buyer and no orders or events, after which the books must agree. */
export function shopForEach(): Shop {
  let provider: Awaited<ReturnType<typeof startStripe>>;
  before(async () => {
    provider = await startStripe();
  });
  const shop = { app: useApi({ env: () => stripeEnv(provider.url) }) } as Pick<Shop, 'app' | 'buyer'>;
  beforeEach(async () => {
    await rows(shop.app.deps.db, 'TRUNCATE credit_orders, payment_events, payment_reversals, charge_refunds, failed_refunds');
    shop.buyer = await shop.app.account({ balance: 0 });
  });
  afterEach(() => assertPurchases(shop));
  after(() => provider.close());
  const post: Shop['post'] = (text, header = signature(text)) =>
    shop.app.call('POST', eventsPath, { body: text, headers: { 'Stripe-Signature': header } });
  return Object.assign(shop, {
    async buy(payment = 'pi_1') {
      const [starter] = await CreditPackage.forSale();
      const { jwt } = shop.buyer;
      const { body } = await shop.app.call('POST', '/api/v1/billing/checkout', { jwt, body: { package_id: starter?.id } });
      return purchase(body.data.session_id, payment);
    },
    post,
    async send(event: PaymentEvent) {
      const answer = await post(eventText(event));
      assert.deepEqual([answer.status, answer.body.data], [200, { received: true }]);
    },
    outcomes: async () => {
      const events = await rows<{ outcome: string }>(shop.app.deps.db, 'SELECT outcome FROM payment_events ORDER BY received_at');
      return events.map(({ outcome }) => outcome);
    },
    balance: () => balanceOf(shop.app.deps.db, shop.buyer.workspaceId),
    ledger: () => ledgerOf(shop.app.deps.db, shop.buyer.workspaceId),
  });
}

/** The books agree, except for the earlier buyers, whose orders are gone. */
async function assertPurchases({ app: { deps }, buyer }: Pick<Shop, 'app' | 'buyer'>): Promise<void> {
  await assertBooks(deps.db);
  const ofBuyer = ({ id, detail }: Difference) => [id, (detail as { workspace_id?: string }).workspace_id].includes(buyer.workspaceId);
  await auditNow(deps.db, (difference) => assert.ok(!ofBuyer(difference), JSON.stringify(difference)));
}

function purchase(sessionId: string, payment: string): Purchase {
  const common = { id: sessionId, payment_status: 'paid', payment_intent: payment, amount_total: 500, currency: 'usd' };
  return {
    sessionId,
    session: (what = 'completed', changes = {}) => ({ type: `checkout.session.${what}`, object: { ...common, ...changes } }),
    refund: (cents, changes = {}, created) => ({
      type: 'charge.refunded',
      object: { id: `ch_${payment}`, payment_intent: payment, amount: 500, amount_refunded: cents, currency: 'usd', ...changes },
      created,
    }),
    changedRefund: (type, refund, created) => ({
      type,
      object: { object: 'refund', charge: `ch_${payment}`, payment_intent: payment, currency: 'usd', ...refund },
      created,
    }),
    dispute: (what, status, created) => ({
      type: `charge.dispute.${what}`,
      object: { id: `dp_${payment}`, payment_intent: payment, charge: `ch_${payment}`, amount: 500, currency: 'usd', status },
      created,
    }),
  };
}
