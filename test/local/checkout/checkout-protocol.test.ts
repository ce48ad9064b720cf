import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Stripe } from 'stripe';
import { type LocalCheckout, startCheckout } from '../../../local/checkout/server.js';
import { until } from '../../support/client.js';
import { webhookSecret } from '../../support/carriers/payments.js';

const secretKey = 'sk_test_tests';

describe('the local checkout, as Stripe', () => {
  const folder = mkdtempSync(join(tmpdir(), 'tidings-checkout-'));
  const received: { body: string; signature: string }[] = [];
  let refusals = 2;
  const receiver = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk: Buffer) => (body += chunk));
    request.on('end', () => {
      received.push({ body, signature: String(request.headers['stripe-signature']) });
      refusals -= 1;
      response.writeHead(refusals >= 0 ? 500 : 200).end();
    });
  });
  let checkout: LocalCheckout;
  let stripe: Stripe;
  before(async () => {
    receiver.listen(0, '127.0.0.1');
    await once(receiver, 'listening');
    const api = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}`;
    checkout = await startCheckout({ port: 0, secretKey, webhookSecret, api, state: join(folder, 'checkout.json') });
    const { hostname: host, port } = new URL(checkout.url);
    stripe = new Stripe(secretKey, { host, port, protocol: 'http', telemetry: false, maxNetworkRetries: 0 });
  });
  after(async () => {
    await checkout.close();
    receiver.closeAllConnections();
    receiver.close();
    rmSync(folder, { recursive: true });
  });
  const params: Stripe.Checkout.SessionCreateParams = {
    mode: 'payment',
    line_items: [{ quantity: 2, price_data: { currency: 'eur', unit_amount: 250, product_data: { name: '<b>Zwölf & mehr</b>' } } }],
    metadata: { order_id: 'ä=&[x]' },
    success_url: 'https://example.test/ok',
    cancel_url: 'https://example.test/no',
  };

  it('the local checkout opens one session for one idempotency key, and shows it again', async () => {
    const session = await stripe.checkout.sessions.create(params, { idempotencyKey: 'one' });
    assert.deepEqual([session.amount_total, session.currency, session.status, session.payment_status], [500, 'eur', 'open', 'unpaid']);
    assert.deepEqual(session.metadata, params.metadata);
    assert.equal((await stripe.checkout.sessions.create(params, { idempotencyKey: 'one' })).id, session.id);
    assert.notEqual((await stripe.checkout.sessions.create(params, { idempotencyKey: 'two' })).id, session.id);
    assert.equal((await stripe.checkout.sessions.retrieve(session.id)).url, session.url);
    assert.match(await (await fetch(session.url ?? '')).text(), /&lt;b&gt;Zwölf &amp; mehr&lt;\/b&gt;/);
  });

  it('the local checkout refuses what Stripe refuses', async () => {
    const expensive = { quantity: 1_000_000, price_data: { currency: 'eur', unit_amount: 1000, product_data: { name: 'x' } } };
    await assert.rejects(stripe.checkout.sessions.create({ ...params, line_items: [expensive] }), {
      type: 'StripeInvalidRequestError',
      statusCode: 400,
    });
    const { success_url: _, ...incomplete } = params;
    await assert.rejects(stripe.checkout.sessions.create(incomplete), /Missing required param: success_url/);
    await assert.rejects(stripe.checkout.sessions.retrieve('cs_test_none'), { statusCode: 404 });
    const { hostname: host, port } = new URL(checkout.url);
    const stranger = new Stripe('sk_test_other', { host, port, protocol: 'http', telemetry: false });
    await assert.rejects(stranger.checkout.sessions.create(params), { statusCode: 401 });
  });

  it('the local checkout posts a signed event again until it is acknowledged', async () => {
    const session = await stripe.checkout.sessions.create(params);
    await fetch(session.url ?? '', { method: 'POST', body: new URLSearchParams({ action: 'pay' }) });
    await until(() => received.length === 3, 'three attempts');
    const events = received.map(({ body, signature }) => Stripe.webhooks.constructEvent(body, signature, webhookSecret));
    assert.deepEqual(new Set(events.map(({ id }) => id)).size, 1);
    const [event] = events;
    assert.equal(event?.type, 'checkout.session.completed');
    const object = event?.data.object as Stripe.Checkout.Session;
    assert.deepEqual([object.id, object.payment_status, object.amount_total, object.livemode], [session.id, 'paid', 500, false]);
    assert.match(object.payment_intent as string, /^pi_/);
  });

  it('a session is paid once, although the body of an earlier request arrives after the payment', async () => {
    const { id, url } = await stripe.checkout.sessions.create(params);
    const late = request(url ?? '', { method: 'POST', headers: { Expect: '100-continue' } });
    late.flushHeaders();
    await once(late, 'continue'); // the session of this request has been read
    const pay = new URLSearchParams({ action: 'pay' });
    await fetch(url ?? '', { method: 'POST', body: pay, redirect: 'manual' });
    late.end(pay.toString());
    const [answer] = await once(late, 'response');
    answer.resume();
    const later = await stripe.checkout.sessions.create(params);
    await fetch(later.url ?? '', { method: 'POST', body: pay, redirect: 'manual' });
    const paid = () => received.map(({ body }) => JSON.parse(body).data.object.id as string);
    await until(() => [id, later.id].every((each) => paid().includes(each)), 'both payments are posted');
    assert.equal(paid().filter((session) => session === id).length, 1);
  });

  it('the local checkout serves no page and no host that is not its own', async () => {
    assert.equal((await fetch(`${checkout.url}/pay/cs_test_none`)).status, 404);
    assert.equal((await fetch(`${checkout.url}/../etc/passwd`)).status, 404);
    const { port } = new URL(checkout.url);
    const status = await new Promise((resolve, reject) => {
      void import('node:http').then(({ get }) => {
        get({ host: '127.0.0.1', port, path: '/', headers: { Host: 'evil.example.test' } }, ({ statusCode }) => resolve(statusCode)).on(
          'error',
          reject,
        );
      });
    });
    assert.equal(status, 421);
  });
});
