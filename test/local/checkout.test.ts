import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Stripe } from 'stripe';
import { type LocalCheckout, startCheckout } from '../../local/checkout/server.js';
import { rows } from '../support/database.js';
import { until } from '../support/client.js';
import { assertBooks } from '../support/invariants.js';
import { balanceOf, ledgerOf } from '../support/messages.js';
import { stripeEnv, webhookSecret } from '../support/payments.js';
import { freePort } from '../support/free-port.js';
import { startApp, type TestApp } from '../api/start-app.js';

const secretKey = 'sk_test_tests';

/** What a browser does with a page: follows where it is led, and posts the form. */
async function press(url: string, action: string): Promise<string> {
  const response = await fetch(url, { method: 'POST', body: new URLSearchParams({ action }) });
  return response.text();
}

describe('the local checkout, bought from by the service', () => {
  const folder = mkdtempSync(join(tmpdir(), 'tidings-checkout-'));
  let app: TestApp;
  let checkout: LocalCheckout;
  let port: number;
  before(async () => {
    port = await freePort();
    app = await startApp(stripeEnv(`http://127.0.0.1:${port}`));
    checkout = await start();
  });
  after(async () => {
    await checkout.close();
    await assertBooks(app.deps.db);
    await app.close();
    rmSync(folder, { recursive: true });
  });
  const start = () => startCheckout({ port, secretKey, webhookSecret, api: app.url, state: join(folder, 'checkout.json') });

  async function order() {
    const { workspaceId, jwt } = await app.account({ balance: 0 });
    const { body } = await app.call('GET', '/api/v1/billing/packages');
    const request = { jwt, body: { package_id: body.data.packages[1].id } };
    const { status, body: answer } = await app.call('POST', '/api/v1/billing/checkout', request);
    assert.equal(status, 201);
    const url: string = answer.data.checkout_url;
    const balance = () => balanceOf(app.deps.db, workspaceId);
    return { url, balance, workspaceId, sessionId: answer.data.session_id as string, request };
  }

  it('shows what is bought, under a policy that allows no script', async () => {
    const { url } = await order();
    const response = await fetch(url);
    const html = await response.text();
    assert.equal(response.status, 200);
    assert.match(html, /Growth: message credits[^]*45\.00 USD[^]*value="pay"[^]*Cancel/);
    assert.match(
      response.headers.get('content-security-policy') ?? '',
      /^default-src 'none'; style-src 'sha256-[\w+/]{43}='; form-action 'self'/,
    );
    assert.doesNotMatch(html, /<script|onclick|style="/);
  });

  it('credits what is paid, once, and takes it back when it is refunded', async () => {
    const { url, balance, workspaceId } = await order();
    assert.match(await press(url, 'pay'), /Paid\./);
    await until(async () => (await balance()) === 1_000_000, 'the credits');
    await press(url, 'pay');
    assert.match(await (await fetch(url)).text(), /Refund the payment/);
    assert.match(await press(url, 'refund'), /Refunded\./);
    await until(async () => (await balance()) === 0, 'the refund');
    assert.deepEqual(await ledgerOf(app.deps.db, workspaceId), ['purchase 1000000', 'adjustment -1000000']);
  });

  it('credits a bank transfer when the bank confirms, and nothing when it refuses', async () => {
    const [good, bad] = [await order(), await order()];
    for (const { url } of [good, bad]) assert.match(await press(url, 'pay_later'), /The bank is working/);
    await press(bad.url, 'refuse');
    await press(good.url, 'confirm');
    await until(async () => (await good.balance()) === 1_000_000, 'the credits');
    const status = `SELECT status FROM credit_orders WHERE session_id = $1`;
    await until(async () => (await rows<{ status: string }>(app.deps.db, status, [bad.sessionId]))[0]?.status === 'failed', 'the failure');
    assert.equal(await bad.balance(), 0);
  });

  it('declines without an event, and can be paid afterwards', async () => {
    const { url, balance } = await order();
    assert.match(await press(url, 'decline'), /The card was declined/);
    await press(`${url}?declined=1`, 'pay');
    await until(async () => (await balance()) === 1_000_000, 'the credits');
  });

  it('ignores buttons that are not on the page', async () => {
    const { url, balance } = await order();
    for (const action of ['refund', 'confirm', 'constructor', '']) await press(url, action);
    assert.match(await (await fetch(url)).text(), /value="pay"/);
    assert.equal(await balance(), 0);
  });

  it('refuses as Stripe would what is too expensive: 402', async () => {
    const { jwt } = await app.account();
    const [row] = await rows<{ id: string }>(
      app.deps.db,
      `UPDATE credit_packages SET price_cents = 100000000 WHERE name = 'Scale' RETURNING id`,
    );
    const { status, body } = await app.call('POST', '/api/v1/billing/checkout', { jwt, body: { package_id: row?.id } });
    assert.deepEqual([status, body.error], [402, 'Credit purchase failed']);
  });

  it('remembers sessions and events over a restart, and tells them to a service that was away', async () => {
    const { url, balance } = await order();
    await checkout.close();
    const closed = await freePort();
    checkout = await startCheckout({
      port,
      secretKey,
      webhookSecret,
      api: `http://127.0.0.1:${closed}`,
      state: join(folder, 'checkout.json'),
    });
    await fetch(url).catch(() => undefined); // on a connection to the one that was stopped
    assert.match(await press(url, 'pay'), /has not acknowledged it yet/);
    await checkout.close();
    assert.equal(statSync(join(folder, 'checkout.json')).mode & 0o077, 0);
    assert.equal(await balance(), 0);
    checkout = await start();
    await until(async () => (await balance()) === 1_000_000, 'the credits');
    await until(() => JSON.parse(readFileSync(join(folder, 'checkout.json'), 'utf8')).events.length === 0, 'the acknowledgement');
    assert.match(await (await fetch(checkout.url)).text(), /<a href="\/pay\/cs_test_/);
  });
});

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

  it('opens sessions, the same for the same idempotency key, and shows them again', async () => {
    const session = await stripe.checkout.sessions.create(params, { idempotencyKey: 'one' });
    assert.deepEqual([session.amount_total, session.currency, session.status, session.payment_status], [500, 'eur', 'open', 'unpaid']);
    assert.deepEqual(session.metadata, params.metadata);
    assert.equal((await stripe.checkout.sessions.create(params, { idempotencyKey: 'one' })).id, session.id);
    assert.notEqual((await stripe.checkout.sessions.create(params, { idempotencyKey: 'two' })).id, session.id);
    assert.equal((await stripe.checkout.sessions.retrieve(session.id)).url, session.url);
    assert.match(await (await fetch(session.url ?? '')).text(), /&lt;b&gt;Zwölf &amp; mehr&lt;\/b&gt;/);
  });

  it('refuses what Stripe refuses', async () => {
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

  it('posts events again until they are acknowledged, signed as the SDK verifies them', async () => {
    const session = await stripe.checkout.sessions.create(params);
    await press(session.url ?? '', 'pay');
    await until(() => received.length === 3, 'three attempts');
    const events = received.map(({ body, signature }) => Stripe.webhooks.constructEvent(body, signature, webhookSecret));
    assert.deepEqual(new Set(events.map(({ id }) => id)).size, 1);
    const [event] = events;
    assert.equal(event?.type, 'checkout.session.completed');
    const object = event?.data.object as Stripe.Checkout.Session;
    assert.deepEqual([object.id, object.payment_status, object.amount_total, object.livemode], [session.id, 'paid', 500, false]);
    assert.match(object.payment_intent as string, /^pi_/);
  });

  it('knows no page and no host that is not its own', async () => {
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
