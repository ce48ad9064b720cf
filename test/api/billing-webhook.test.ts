import assert from 'node:assert/strict';
import { Stripe } from 'stripe';
import { CreditPackage } from '../../models/credit-package.js';
import { takeBack } from '../../models/operations/post-credits.js';
import { rows } from '../support/database.js';
import { assertBooks } from '../support/invariants.js';
import { balanceOf, ledgerOf } from '../support/messages.js';
import {
  eventText,
  type FakeProvider,
  type SentEvent,
  signature,
  startFakeProvider,
  stripeEnv,
  webhookSecret,
} from '../support/payments.js';
import { startApp, type TestApp } from './start-app.js';

const path = '/api/v1/billing/webhook';

describe('POST /api/v1/billing/webhook', () => {
  let provider: FakeProvider;
  let app: TestApp;
  let jwt: string;
  let workspaceId: string;
  before(async () => {
    provider = await startFakeProvider();
    app = await startApp(stripeEnv(provider.url));
  });
  beforeEach(async () => {
    await rows(app.deps.db, 'TRUNCATE credit_orders, payment_events, payment_reversals');
    ({ jwt, workspaceId } = await app.account({ balance: 0 }));
  });
  afterEach(() => assertBooks(app.deps.db));
  after(async () => {
    await app.close();
    await provider.close();
  });

  const post = (text: string, header = signature(text)) => app.call('POST', path, { body: text, headers: { 'Stripe-Signature': header } });
  const send = async (event: SentEvent) => {
    const answer = await post(eventText(event));
    assert.deepEqual([answer.status, answer.body.data], [200, { received: true }]);
  };
  const outcomes = async () =>
    (await rows<{ outcome: string }>(app.deps.db, 'SELECT outcome FROM payment_events ORDER BY received_at')).map(({ outcome }) => outcome);
  const debt = async () => (await rows<{ debt: number }>(app.deps.db, 'SELECT debt FROM workspaces WHERE id = $1', [workspaceId]))[0]?.debt;

  /** A bought package: 100 credits for 5.00. Its events are made by `session`, `refund` and `dispute`. */
  async function buy(payment = 'pi_1') {
    const [starter] = await CreditPackage.forSale();
    const { body } = await app.call('POST', '/api/v1/billing/checkout', { jwt, body: { package_id: starter?.id } });
    const common = { id: body.data.session_id, payment_status: 'paid', payment_intent: payment, amount_total: 500, currency: 'usd' };
    return {
      sessionId: body.data.session_id as string,
      session: (what = 'completed', changes = {}): SentEvent => ({ type: `checkout.session.${what}`, object: { ...common, ...changes } }),
      refund: (cents: number, changes = {}): SentEvent => ({
        type: 'charge.refunded',
        object: { id: `ch_${payment}`, payment_intent: payment, amount: 500, amount_refunded: cents, currency: 'usd', ...changes },
      }),
      dispute: (what: string, status: string): SentEvent => ({
        type: `charge.dispute.${what}`,
        object: { id: `dp_${payment}`, payment_intent: payment, charge: `ch_${payment}`, amount: 500, currency: 'usd', status },
      }),
    };
  }

  describe('signatures', () => {
    const text = eventText({ type: 'ping', object: {} });
    // Made when the test runs: the age counts from then.
    const refused: [string, () => string | undefined][] = [
      ['none', () => undefined],
      ['an empty one', () => ''],
      ['nonsense', () => 'x'],
      ['one of another secret', () => signature(text, { secret: 'whsec_other' })],
      ['one that is 301 seconds old', () => signature(text, { ageSeconds: 301 })],
      ['one that is 310 seconds ahead', () => signature(text, { ageSeconds: -310 })],
      ['one of other bytes', () => signature(`${text} `)],
      ['one without a time', () => signature(text).replace(/^t=\d+,/, '')],
    ];
    for (const [what, headerOf] of refused) {
      it(`400 for ${what}`, async () => {
        const header = headerOf();
        const answer = await app.call('POST', path, { body: text, headers: header === undefined ? {} : { 'Stripe-Signature': header } });
        assert.deepEqual([answer.status, answer.body.error, answer.body.code], [400, 'Invalid signature', 'validation_failed']);
        assert.deepEqual(await outcomes(), []);
      });
    }
    it('200 up to five minutes off either way, and for the second of two signatures', async () => {
      for (const ageSeconds of [0, 290, -290]) assert.equal((await post(text, signature(text, { ageSeconds }))).status, 200);
      const header = signature(text);
      assert.equal((await post(text, header.replace(',v1=', `,v1=${'0'.repeat(64)},v1=`))).status, 200);
    });
    it('covers the very bytes: a byte order mark, other white space, or no UTF-8 is another body', async () => {
      for (const other of [`\ufeff${text}`, text.replace('{', '{ ')]) assert.equal((await post(other, signature(text))).status, 400);
      const bytes = Buffer.concat([Buffer.from(text), Buffer.from([0xff])]);
      const response = await fetch(app.url + path, {
        method: 'POST',
        body: bytes,
        headers: { 'Stripe-Signature': signature(`${text}\ufffd`) },
      });
      assert.equal(response.status, 400);
    });
    it('400 for what is signed and no event; 413 for too much', async () => {
      for (const body of ['', '{', '[]', '5', '{"id":5}']) {
        const answer = await post(body, signature(body === '' ? ' ' : body));
        assert.equal(answer.status, 400);
      }
      const large = JSON.stringify({ id: 'evt', type: 'x', padding: 'x'.repeat(300_000) });
      assert.equal((await post(large)).status, 413);
    });
    it('is what the SDK itself accepts', () => {
      assert.equal(Stripe.webhooks.constructEvent(text, signature(text), webhookSecret).type, 'ping');
    });
  });

  describe('payments', () => {
    it('credits once, however often and by whatever events it is told, twenty at once', async () => {
      const { session } = await buy();
      const same = eventText({ id: 'evt_same', ...session() });
      const others = Array.from({ length: 10 }, (_, index) =>
        eventText(session(index % 2 === 0 ? 'completed' : 'async_payment_succeeded')),
      );
      const answers = await Promise.all([...Array.from({ length: 10 }, () => same), ...others].map((text) => post(text)));
      assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([200]));
      assert.deepEqual(await ledgerOf(app.deps.db, workspaceId), ['purchase 100000']);
      assert.equal((await outcomes()).filter((outcome) => outcome === 'credited').length, 1);
      assert.equal((await outcomes()).length, 11, 'each event is stored once');
      const { body } = await app.call('GET', '/api/v1/billing/transactions', { jwt });
      const [order] = await rows<{ id: string; status: string; payment_id: string }>(
        app.deps.db,
        'SELECT id, status, payment_id FROM credit_orders',
      );
      const { type, amount, balance_after, description, reference } = body.data.transactions[0];
      assert.deepEqual([type, amount, balance_after, description, reference], ['purchase', 100, 100, 'Credit package Starter', order?.id]);
      assert.deepEqual([order?.status, order?.payment_id], ['paid', 'pi_1']);
    });

    it('waits for a slow payment, and credits it when it succeeds', async () => {
      const { session } = await buy();
      await send(session('completed', { payment_status: 'unpaid' }));
      assert.equal(await balanceOf(app.deps.db, workspaceId), 0);
      await send(session('async_payment_succeeded'));
      assert.equal(await balanceOf(app.deps.db, workspaceId), 100_000);
      await send(session('async_payment_failed'));
      assert.deepEqual(await outcomes(), ['noted', 'credited', 'repeated']);
    });

    it('credits nothing for a payment that failed or a session that expired, whatever the order', async () => {
      const [one, other] = [await buy('pi_1'), await buy('pi_2')];
      await send(one.session('async_payment_failed', { payment_status: 'unpaid' }));
      await send(one.session('completed', { payment_status: 'unpaid' }));
      await send(other.session('expired', { payment_status: 'unpaid' }));
      const statuses = await rows<{ status: string }>(app.deps.db, 'SELECT status FROM credit_orders ORDER BY id');
      assert.deepEqual(statuses, [{ status: 'failed' }, { status: 'expired' }]);
      assert.deepEqual(await ledgerOf(app.deps.db, workspaceId), []);
    });

    const wrong: [string, object][] = [
      ['less', { amount_total: 499 }],
      ['more', { amount_total: 50_000 }],
      ['another currency', { currency: 'jpy' }],
      ['nothing', { amount_total: 0, payment_status: 'no_payment_required' }],
    ];
    for (const [what, changes] of wrong) {
      it(`credits nothing when ${what} was paid`, async () => {
        const { session } = await buy();
        await send(session('completed', changes));
        assert.equal(await balanceOf(app.deps.db, workspaceId), 0);
      });
    }

    it('credits what is not called unpaid, also when the event repeats neither amount nor currency', async () => {
      const { session } = await buy();
      await send(session('completed', { payment_status: undefined, amount_total: null, currency: null }));
      assert.equal(await balanceOf(app.deps.db, workspaceId), 100_000);
    });

    it('believes only its own order: neither metadata nor a reference of the client decides who gets what', async () => {
      const other = await app.account({ balance: 0 });
      const { session } = await buy();
      const lies = { workspace_id: other.workspaceId, credits: '9999', order_id: other.workspaceId };
      await send(session('completed', { client_reference_id: other.workspaceId, metadata: lies }));
      assert.deepEqual([await balanceOf(app.deps.db, workspaceId), await balanceOf(app.deps.db, other.workspaceId)], [100_000, 0]);
      await send({
        type: 'checkout.session.completed',
        object: { id: 'cs_of_another_shop', payment_status: 'paid', amount_total: 500, currency: 'usd', metadata: lies },
      });
      assert.deepEqual(await outcomes(), ['credited', 'unmatched']);
    });

    it('finds the order by its id while the session is not stored yet, and not afterwards', async () => {
      const { session, sessionId } = await buy();
      const [order] = await rows<{ id: string }>(
        app.deps.db,
        `UPDATE credit_orders SET status = 'opening', session_id = NULL RETURNING id`,
      );
      await send(session('completed', { metadata: { order_id: order?.id } }));
      await send(session('completed', { id: 'cs_other', payment_intent: 'pi_other', metadata: { order_id: order?.id } }));
      const [{ session_id } = { session_id: '' }] = await rows<{ session_id: string }>(app.deps.db, 'SELECT session_id FROM credit_orders');
      assert.deepEqual([session_id, await outcomes()], [sessionId, ['credited', 'unmatched']]);
    });

    it('answers 200 to events of every other type, and to strange ones', async () => {
      for (const type of [
        'customer.created',
        'checkout.session.something',
        'charge.refunded',
        'charge.dispute.created',
        'payment_intent.succeeded',
      ]) {
        await send({ type, object: { id: 5, payment_intent: null } as unknown as Record<string, unknown> });
      }
      assert.deepEqual(new Set(await outcomes()), new Set(['ignored']));
    });
  });

  describe('refunds and disputes', () => {
    it('take back in proportion, once, in whatever order they come', async () => {
      const { session, refund } = await buy();
      await send(session());
      await send(refund(200));
      await send(refund(100));
      await send(refund(200));
      assert.deepEqual(await ledgerOf(app.deps.db, workspaceId), ['purchase 100000', 'adjustment -40000']);
      await send(refund(500));
      assert.equal(await balanceOf(app.deps.db, workspaceId), 0);
      assert.deepEqual(await outcomes(), ['credited', 'reversed', 'repeated', 'repeated', 'reversed']);
    });

    it('are remembered when they come before the payment', async () => {
      const { session, refund } = await buy();
      await send(refund(125));
      await send(session());
      assert.deepEqual(await ledgerOf(app.deps.db, workspaceId), ['purchase 100000', 'adjustment -25000']);
    });

    it('see each other when all come at once', async () => {
      for (let round = 1; round <= 5; round += 1) {
        const { session, refund, dispute } = await buy(`pi_${round}`);
        await Promise.all(
          [session(), refund(100), refund(250), dispute('created', 'needs_response'), session('async_payment_succeeded')].map(send),
        );
      }
      assert.equal(await balanceOf(app.deps.db, workspaceId), 0);
      const sums = await rows(app.deps.db, 'SELECT reversed FROM credit_orders WHERE reversed <> credits');
      assert.deepEqual(sums, [], 'never more than was paid');
    });

    it('never push the balance below zero: the rest is debt, which the next credits pay first', async () => {
      const { session, refund } = await buy('pi_1');
      await send(session());
      const spent = { reference: 'spent', amount: 70_000, description: 'spent' };
      await app.deps.db.transaction((transaction) => takeBack(app.deps.db, transaction, workspaceId, spent));
      await send(refund(500));
      assert.deepEqual([await balanceOf(app.deps.db, workspaceId), await debt()], [0, 70_000]);
      const next = await buy('pi_2');
      await send(next.session());
      assert.deepEqual([await balanceOf(app.deps.db, workspaceId), await debt()], [30_000, 0]);
      assert.deepEqual((await ledgerOf(app.deps.db, workspaceId)).slice(-3), ['adjustment -30000', 'purchase 100000', 'adjustment -70000']);
    });

    it('give back what a dispute took when it is won, also when its beginning comes last', async () => {
      const [one, other] = [await buy('pi_1'), await buy('pi_2')];
      await send(one.session());
      await send(one.dispute('created', 'needs_response'));
      await send(one.dispute('funds_withdrawn', 'needs_response'));
      assert.equal(await balanceOf(app.deps.db, workspaceId), 0);
      await send(one.dispute('closed', 'won'));
      assert.equal(await balanceOf(app.deps.db, workspaceId), 100_000);
      await send(other.dispute('closed', 'won'));
      await send(other.dispute('created', 'needs_response'));
      await send(other.session());
      await send(other.dispute('created', 'warning_needs_response'));
      assert.equal(await balanceOf(app.deps.db, workspaceId), 200_000);
    });

    it('of another currency, or of payments that are not ours, change nothing', async () => {
      const { session, refund } = await buy();
      await send(session());
      await send(refund(500, { currency: 'eur', id: 'ch_other' }));
      await send(refund(500, { payment_intent: 'pi_of_another_shop', id: 'ch_another' }));
      assert.deepEqual(await outcomes(), ['credited', 'mismatched', 'noted']);
      assert.equal(await balanceOf(app.deps.db, workspaceId), 100_000);
    });
  });
});
