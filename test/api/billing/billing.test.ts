import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { v7 as uuidv7 } from 'uuid';
import { rows } from '../../support/database.js';
import { refuseWith, startStripe, type StripeCounterpart, stripeEnv } from '../../support/carriers/payments.js';
import { useApi } from '../use-api.js';

const packages = '/api/v1/billing/packages';
const checkout = '/api/v1/billing/checkout';
const transactions = '/api/v1/billing/transactions';

describe('billing', () => {
  let provider: StripeCounterpart;
  beforeEach(async () => {
    provider = await startStripe();
  });
  const app = useApi({
    env: () => ({ ...stripeEnv(provider.url), PUBLIC_URL: 'https://api.example.test', TRUSTED_PROXIES: 'none' }),
    forEachTest: true,
    checksBooks: true,
  });
  afterEach(() => provider.close());
  const firstPackage = async () => (await app.call('GET', packages)).body.data.packages[0];
  const orders = () => rows(app.deps.db, 'SELECT id, status, session_id, idempotency_key FROM credit_orders ORDER BY id');

  describe('GET /billing/packages', () => {
    it('the list of credit packages goes from the smallest to the largest, and needs no credential', async () => {
      await rows(app.deps.db, `UPDATE credit_packages SET is_active = false WHERE name = 'Scale'`);
      const { status, body } = await app.call('GET', packages);
      assert.equal(status, 200);
      const [first, ...others] = body.data.packages;
      assert.deepEqual({ ...first, id: '' }, { id: '', name: 'Starter', credits: 100, price_cents: 500, currency: 'usd' });
      assert.deepEqual(
        others.map(({ name }: { name: string }) => name),
        ['Growth', 'Business'],
      );
    });
  });

  describe('POST /billing/checkout', () => {
    it('201 for a checkout, which asks the payment provider for exactly the stored order', async () => {
      const { jwt, workspaceId } = await app.account();
      const { id } = await firstPackage();
      const { status, body } = await app.call('POST', checkout, {
        jwt,
        body: { package_id: id, credits: 1e6, price_cents: 1, currency: 'xxx' },
      });
      assert.equal(status, 201);
      const [order] = await rows(app.deps.db, 'SELECT * FROM credit_orders');
      assert.deepEqual(body.data, { checkout_url: order?.checkout_url, session_id: order?.session_id });
      assert.deepEqual(
        [order?.workspace_id, order?.status, order?.credits, order?.amount_cents, order?.currency, order?.idempotency_key],
        [workspaceId, 'open', 100_000, 500, 'usd', null],
      );
      const [asked] = provider.asked;
      assert.deepEqual(Object.fromEntries(asked?.form ?? []), {
        cancel_url: 'https://api.example.test/billing/return?checkout=cancelled',
        client_reference_id: order?.id,
        'line_items[0][price_data][currency]': 'usd',
        'line_items[0][price_data][product_data][name]': 'Starter: message credits',
        'line_items[0][price_data][unit_amount]': '500',
        'line_items[0][quantity]': '1',
        'metadata[order_id]': order?.id,
        mode: 'payment',
        'payment_intent_data[metadata][order_id]': order?.id,
        success_url: 'https://api.example.test/billing/return?checkout=success',
      });
      assert.equal(asked?.headers['idempotency-key'], order?.id);
      assert.equal(asked?.headers.authorization, 'Bearer sk_test_tests');
      assert.equal(asked?.headers['x-stripe-client-telemetry'], undefined);
    });

    it('404 for the checkout of a package that is unknown, malformed or not for sale', async () => {
      const { jwt } = await app.account();
      const { id } = await firstPackage();
      await rows(app.deps.db, 'UPDATE credit_packages SET is_active = false WHERE id = $1', [id]);
      for (const package_id of [uuidv7(), 'starter', id]) {
        const { status, body } = await app.call('POST', checkout, { jwt, body: { package_id } });
        assert.deepEqual([status, body.error, body.code], [404, 'Credit package not found', 'not_found']);
      }
      assert.deepEqual([await orders(), provider.asked.length], [[], 0]);
    });

    it('400 for a checkout without a package, 401 without a JWT or with a key', async () => {
      const { jwt, key } = await app.account();
      for (const [body, text] of [
        [{}, 'Missing required field: package_id'],
        [{ package_id: 5 }, 'package_id must be a string'],
      ] as const) {
        assert.deepEqual((await app.call('POST', checkout, { jwt, body })).body.error, text);
      }
      assert.equal((await app.call('POST', checkout, { body: {} })).status, 401);
      assert.equal((await app.call('POST', checkout, { key, body: {} })).body.error, 'Invalid or expired token');
      assert.equal((await app.call('GET', transactions, { key })).status, 401);
    });

    for (const refusal of [400, 401, 402, 403]) {
      it(`402 for a checkout when the provider answers ${refusal}, and the idempotency key stays free`, async () => {
        const { jwt } = await app.account();
        const request = { jwt, body: { package_id: (await firstPackage()).id }, headers: { 'Idempotency-Key': 'one' } };
        const open = provider.answer;
        provider.answer = refuseWith(refusal);
        const { status, body } = await app.call('POST', checkout, request);
        assert.deepEqual([status, body.error, body.code], [402, 'Credit purchase failed', 'purchase_failed']);
        assert.deepEqual(await orders(), []);
        provider.answer = open;
        const again = await app.call('POST', checkout, request);
        assert.deepEqual([again.status, again.headers.get('idempotent-replayed')], [201, null]);
      });
    }

    it('500 for a checkout in time when the payment provider fails, and no order remains', async function () {
      this.timeout(60_000);
      const { jwt } = await app.account();
      const body = { package_id: (await firstPackage()).id };
      const ways: StripeCounterpart['answer'][] = [
        refuseWith(500),
        (response) => void response.end('{}'),
        (response) => void response.destroy(),
      ];
      for (const way of ways) {
        provider.answer = way;
        const answer = await app.call('POST', checkout, { jwt, body });
        assert.deepEqual([answer.status, answer.body.error], [500, 'Internal server error. Please try again later.']);
      }
      provider.answer = () => undefined; // it never answers
      const since = Date.now();
      assert.equal((await app.call('POST', checkout, { jwt, body })).status, 500);
      assert.ok(Date.now() - since < 40_000);
      assert.deepEqual(await orders(), []);
    });

    it('201 with the first session for a repeated checkout, also for twenty at once', async () => {
      const { jwt } = await app.account();
      const request = { jwt, body: { package_id: (await firstPackage()).id }, headers: { 'Idempotency-Key': 'one' } };
      const open = provider.answer;
      provider.answer = (response, asked) => void sleep(200).then(() => open(response, asked));
      const answers = await Promise.all(Array.from({ length: 20 }, () => app.call('POST', checkout, request)));
      assert.ok(answers.every(({ status }) => status === 201));
      assert.equal(new Set(answers.map(({ body }) => body.data.session_id)).size, 1);
      assert.equal(answers.filter(({ headers }) => headers.get('idempotent-replayed') === 'true').length, 19);
      assert.equal(provider.asked.length, 1);
      const other = await app.call('POST', checkout, { ...request, jwt: (await app.account()).jwt });
      assert.notEqual(other.body.data.session_id, answers[0]?.body.data.session_id, 'the key of another workspace is another key');
    });

    it('422 for a checkout with the idempotency key of another request, and 400 with a malformed one', async () => {
      const { jwt } = await app.account();
      const headers = { 'Idempotency-Key': 'one' };
      await app.call('POST', checkout, { jwt, body: { package_id: (await firstPackage()).id }, headers });
      const { status, body } = await app.call('POST', checkout, { jwt, body: { package_id: uuidv7() }, headers });
      assert.deepEqual([status, body.error], [422, 'Idempotency key was used with a different request']);
      assert.equal((await app.call('POST', checkout, { jwt, body: { package_id: 'x' }, headers: { 'Idempotency-Key': '' } })).status, 400);
    });

    it('201 for a repeated checkout whose first request died', async () => {
      const { jwt } = await app.account();
      const request = { jwt, body: { package_id: (await firstPackage()).id }, headers: { 'Idempotency-Key': 'one' } };
      await app.call('POST', checkout, request);
      const forget = `UPDATE credit_orders SET status = 'opening', session_id = NULL, checkout_url = NULL, leased_until = now() - interval '1 second'`;
      await rows(app.deps.db, forget);
      assert.equal((await app.call('POST', checkout, request)).status, 201);
      const [first, second] = provider.asked.map(({ headers }) => headers['idempotency-key']);
      assert.equal(first, second, 'for the provider it is the same request');
      assert.equal((await orders()).length, 1);
    });
  });

  it('/billing/return says to the returning browser whether the checkout succeeded', async () => {
    assert.match((await app.call('GET', '/billing/return?checkout=success')).body.data.message, /^Thank you/);
    assert.match((await app.call('GET', '/billing/return?checkout=cancelled')).body.data.message, /cancelled/);
    assert.equal((await app.call('GET', '/billing/return?checkout=x')).status, 400);
  });
});

describe('billing that is not configured', () => {
  const app = useApi();

  it('503 for checkouts and payment events where billing is not configured, and 200 for packages and transactions', async () => {
    const { jwt } = await app.account();
    const { id } = (await app.call('GET', packages)).body.data.packages[0];
    for (const answer of [
      await app.call('POST', checkout, { jwt, body: { package_id: id } }),
      await app.call('POST', '/api/v1/billing/webhook', { body: '{}', headers: { 'Stripe-Signature': 't=1,v1=00' } }),
    ]) {
      assert.deepEqual([answer.status, answer.body.error, answer.body.code], [503, 'Billing is not configured', 'unavailable']);
    }
    assert.equal((await app.call('GET', transactions, { jwt })).status, 200);
    assert.equal((await app.call('POST', checkout, { jwt, body: {} })).status, 400);
  });
});
