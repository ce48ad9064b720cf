import assert from 'node:assert/strict';
import { Stripe } from 'stripe';
import { rows } from '../../support/database.js';
import { balanceOf } from '../../support/rows/messages.js';
import { nowhere } from '../../support/carriers/counterpart.js';
import { eventText, signature, stripeEnv, webhookSecret } from '../../support/carriers/payments.js';
import { eventsPath, shopForEach } from './shop.js';
import { useApi } from '../use-api.js';

describe('POST /api/v1/billing/webhook', () => {
  const shop = shopForEach();

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
      ['a time with an empty one', () => signature(text).replace(/,v1=.*$/, ',v1=')],
      ['one without a time', () => signature(text).replace(/^t=\d+,/, '')],
    ];
    for (const [what, headerOf] of refused) {
      it(`400 for a payment event with a wrong signature: ${what}`, async () => {
        const header = headerOf();
        const answer = await shop.app.call('POST', eventsPath, {
          body: text,
          headers: header === undefined ? {} : { 'Stripe-Signature': header },
        });
        assert.deepEqual([answer.status, answer.body.error, answer.body.code], [400, 'Invalid signature', 'validation_failed']);
        assert.deepEqual(await shop.outcomes(), []);
      });
    }
    it('200 for a payment event with a clock off by up to five minutes, and with the second of two signatures', async () => {
      for (const ageSeconds of [0, 290, -290]) assert.equal((await shop.post(text, signature(text, { ageSeconds }))).status, 200);
      const header = signature(text);
      assert.equal((await shop.post(text, header.replace(',v1=', `,v1=${'0'.repeat(64)},v1=`))).status, 200);
    });
    it('400 for a payment event whose bytes differ from the signed ones', async () => {
      for (const other of [`\ufeff${text}`, text.replace('{', '{ ')]) assert.equal((await shop.post(other, signature(text))).status, 400);
      const bytes = Buffer.concat([Buffer.from(text), Buffer.from([0xff])]);
      const response = await fetch(shop.app.url + eventsPath, {
        method: 'POST',
        body: bytes,
        headers: { 'Stripe-Signature': signature(`${text}\ufffd`) },
      });
      assert.equal(response.status, 400);
    });
    it('400 for a signed body that is no payment event, and 413 for a large one', async () => {
      for (const body of ['', '{', '[]', '5', '{"id":5}', '{"id":"a\\u0000","type":"x"}']) {
        const answer = await shop.post(body, signature(body === '' ? ' ' : body));
        assert.equal(answer.status, 400);
      }
      const large = JSON.stringify({ id: 'evt', type: 'x', padding: 'x'.repeat(300_000) });
      assert.equal((await shop.post(large)).status, 413);
    });
    it('the SDK of the payment provider accepts the signatures that these tests make', () => {
      assert.equal(Stripe.webhooks.constructEvent(text, signature(text), webhookSecret).type, 'ping');
    });
  });

  describe('payments', () => {
    it('a payment is credited once for twenty events at once', async () => {
      const { session } = await shop.buy();
      const same = eventText({ id: 'evt_same', ...session() });
      const others = Array.from({ length: 10 }, (_, index) =>
        eventText(session(index % 2 === 0 ? 'completed' : 'async_payment_succeeded')),
      );
      const answers = await Promise.all([...Array.from({ length: 10 }, () => same), ...others].map((text) => shop.post(text)));
      assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([200]));
      assert.deepEqual(await shop.ledger(), ['purchase 100000']);
      assert.equal((await shop.outcomes()).filter((outcome) => outcome === 'credited').length, 1);
      assert.equal((await shop.outcomes()).length, 11, 'each event is stored once');
      const { body } = await shop.app.call('GET', '/api/v1/billing/transactions', { jwt: shop.buyer.jwt });
      const [order] = await rows<{ id: string; status: string; payment_id: string }>(
        shop.app.deps.db,
        'SELECT id, status, payment_id FROM credit_orders',
      );
      const { type, amount, balance_after, description, reference } = body.data.transactions[0];
      assert.deepEqual([type, amount, balance_after, description, reference], ['purchase', 100, 100, 'Credit package Starter', order?.id]);
      assert.deepEqual([order?.status, order?.payment_id], ['paid', 'pi_1']);
    });

    it('a slow payment is credited when it succeeds', async () => {
      const { session } = await shop.buy();
      await shop.send(session('completed', { payment_status: 'unpaid' }));
      assert.equal(await shop.balance(), 0);
      await shop.send(session('async_payment_succeeded'));
      assert.equal(await shop.balance(), 100_000);
      await shop.send(session('async_payment_failed'));
      assert.deepEqual(await shop.outcomes(), ['noted', 'credited', 'repeated']);
    });

    it('a failed payment and an expired session credit nothing, in any order', async () => {
      const [one, other] = [await shop.buy('pi_1'), await shop.buy('pi_2')];
      await shop.send(one.session('async_payment_failed', { payment_status: 'unpaid' }));
      await shop.send(one.session('completed', { payment_status: 'unpaid' }));
      await shop.send(other.session('expired', { payment_status: 'unpaid' }));
      const statuses = await rows<{ status: string }>(shop.app.deps.db, 'SELECT status FROM credit_orders ORDER BY id');
      assert.deepEqual(statuses, [{ status: 'failed' }, { status: 'expired' }]);
      assert.deepEqual(await shop.ledger(), []);
    });

    it('200 and no credit for a payment session whose id has a NUL', async () => {
      const text = eventText({ type: 'checkout.session.completed', object: { id: 'cs\0', payment_status: 'paid' } });
      assert.equal((await shop.post(text)).status, 200);
      assert.deepEqual([await shop.outcomes(), await shop.ledger()], [['ignored'], []]);
    });

    it('200 and no credit for a live payment with a test key', async () => {
      const { session } = await shop.buy();
      await shop.send({ ...session(), livemode: true });
      assert.deepEqual([await shop.outcomes(), await shop.ledger()], [['ignored'], []]);
      await shop.send(session());
      assert.deepEqual(await shop.ledger(), ['purchase 100000']);
    });

    const wrong: [string, object][] = [
      ['less', { amount_total: 499 }],
      ['more', { amount_total: 50_000 }],
      ['another currency', { currency: 'jpy' }],
      ['nothing', { amount_total: 0, payment_status: 'no_payment_required' }],
    ];
    for (const [what, changes] of wrong) {
      it(`a payment event credits nothing when ${what} was paid`, async () => {
        const { session } = await shop.buy();
        await shop.send(session('completed', changes));
        assert.equal(await shop.balance(), 0);
      });
    }

    it('a payment is credited without amount and currency in its event', async () => {
      const { session } = await shop.buy();
      await shop.send(session('completed', { payment_status: undefined, amount_total: null, currency: null }));
      assert.equal(await shop.balance(), 100_000);
    });

    it('a payment is credited by the stored order, not by metadata or a client reference', async () => {
      const other = await shop.app.account({ balance: 0 });
      const { session } = await shop.buy();
      const lies = { workspace_id: other.workspaceId, credits: '9999', order_id: other.workspaceId };
      await shop.send(session('completed', { client_reference_id: other.workspaceId, metadata: lies }));
      assert.deepEqual([await shop.balance(), await balanceOf(shop.app.deps.db, other.workspaceId)], [100_000, 0]);
      await shop.send({
        type: 'checkout.session.completed',
        object: { id: 'cs_of_another_shop', payment_status: 'paid', amount_total: 500, currency: 'usd', metadata: lies },
      });
      assert.deepEqual(await shop.outcomes(), ['credited', 'unmatched']);
    });

    it('a payment event finds its order by the order’s id only while no session is stored', async () => {
      const { session, sessionId } = await shop.buy();
      const [order] = await rows<{ id: string }>(
        shop.app.deps.db,
        `UPDATE credit_orders SET status = 'opening', session_id = NULL RETURNING id`,
      );
      await shop.send(session('completed', { metadata: { order_id: order?.id } }));
      await shop.send(session('completed', { id: 'cs_other', payment_intent: 'pi_other', metadata: { order_id: order?.id } }));
      const [{ session_id } = { session_id: '' }] = await rows<{ session_id: string }>(
        shop.app.deps.db,
        'SELECT session_id FROM credit_orders',
      );
      assert.deepEqual([session_id, await shop.outcomes()], [sessionId, ['credited', 'unmatched']]);
    });

    it('200 for payment events of other and of unknown types, which are ignored', async () => {
      for (const type of [
        'customer.created',
        'checkout.session.something',
        'charge.refunded',
        'charge.dispute.created',
        'payment_intent.succeeded',
      ]) {
        await shop.send({ type, object: { id: 5, payment_intent: null } as unknown as Record<string, unknown> });
      }
      assert.deepEqual(new Set(await shop.outcomes()), new Set(['ignored']));
    });
  });
});

describe('a live key', () => {
  const app = useApi({ env: { ...stripeEnv(nowhere.url), STRIPE_SECRET_KEY: 'rk_live_tests' } });

  it('200 and no credit for a test payment with a live key', async () => {
    const outcomeOf = async (livemode: boolean) => {
      const text = eventText({ type: 'checkout.session.completed', object: { id: 'cs_1', payment_status: 'paid' }, livemode });
      const { status } = await app.call('POST', eventsPath, { body: text, headers: { 'Stripe-Signature': signature(text) } });
      const [event] = await rows<{ outcome: string }>(app.deps.db, 'SELECT outcome FROM payment_events ORDER BY received_at DESC LIMIT 1');
      return [status, event?.outcome];
    };
    assert.deepEqual(await outcomeOf(false), [200, 'ignored']);
    assert.deepEqual(await outcomeOf(true), [200, 'unmatched']);
  });
});
