import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type LocalCheckout, startCheckout } from '../../../local/checkout/server.js';
import { rows } from '../../support/database.js';
import { until } from '../../support/client.js';
import { balanceOf, ledgerOf } from '../../support/rows/messages.js';
import { stripeEnv, webhookSecret } from '../../support/carriers/payments.js';
import { axeFindings } from '../../support/axe.js';
import { startBrowser } from '../../support/browser.js';
import { freePort } from '../../support/network/free-port.js';
import { useApi } from '../../api/use-api.js';

const secretKey = 'sk_test_tests';

/** What a browser does with a page: follows where it is led, and posts the form. */
async function press(url: string, action: string): Promise<string> {
  const response = await fetch(url, { method: 'POST', body: new URLSearchParams({ action }) });
  return response.text();
}

describe('the local checkout, bought from by the service', () => {
  const folder = mkdtempSync(join(tmpdir(), 'tidings-checkout-'));
  let checkout: LocalCheckout;
  let port: number;
  before(async () => {
    port = await freePort();
  });
  after(() => checkout.close()); // before the API that it calls
  const app = useApi({ env: () => stripeEnv(`http://127.0.0.1:${port}`), checksBooks: true });
  before(async () => {
    checkout = await start();
  });
  after(() => rmSync(folder, { recursive: true }));
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

  it('the local checkout has no finding of axe, on the page of a session and on the list', async function () {
    const { url } = await order();
    const browser = await startBrowser(this);
    try {
      for (const page of [url, `http://127.0.0.1:${port}/`]) {
        await browser.page.goto(page);
        assert.deepEqual(await axeFindings(browser.page), []);
      }
    } finally {
      await browser.close();
    }
  });
  it('the local checkout leads back with the real state, also after a refused payment', async () => {
    const { url } = await order();
    assert.match(await press(url, 'pay_later'), /checkout=success/);
    assert.match(await press(url, 'refuse'), /checkout=cancelled/);
  });
  it('the local checkout shows what is bought, under a policy that allows no script', async () => {
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

  it('a payment in the local checkout is credited once, and taken back when it is refunded', async () => {
    const { url, balance, workspaceId } = await order();
    assert.match(await press(url, 'pay'), /Paid\./);
    await until(async () => (await balance()) === 1_000_000, 'the credits');
    await press(url, 'pay');
    assert.match(await (await fetch(url)).text(), /Refund the payment/);
    assert.match(await press(url, 'refund'), /Refunded\./);
    await until(async () => (await balance()) === 0, 'the refund');
    assert.deepEqual(await ledgerOf(app.deps.db, workspaceId), ['purchase 1000000', 'adjustment -1000000']);
  });

  it('a bank transfer is credited when the bank confirms it, and not when it refuses', async () => {
    const [good, bad] = [await order(), await order()];
    for (const { url } of [good, bad]) assert.match(await press(url, 'pay_later'), /The bank is processing/);
    await press(bad.url, 'refuse');
    await press(good.url, 'confirm');
    await until(async () => (await good.balance()) === 1_000_000, 'the credits');
    const status = `SELECT status FROM credit_orders WHERE session_id = $1`;
    await until(async () => (await rows<{ status: string }>(app.deps.db, status, [bad.sessionId]))[0]?.status === 'failed', 'the failure');
    assert.equal(await bad.balance(), 0);
  });

  it('a card that was declined can pay afterwards', async () => {
    const { url, balance } = await order();
    assert.match(await press(url, 'decline'), /The card was declined/);
    await press(`${url}?declined=1`, 'pay');
    await until(async () => (await balance()) === 1_000_000, 'the credits');
  });

  it('an action that is not on the page of the local checkout changes nothing', async () => {
    const { url, balance } = await order();
    for (const action of ['refund', 'confirm', 'constructor', '']) await press(url, action);
    assert.match(await (await fetch(url)).text(), /value="pay"/);
    assert.equal(await balance(), 0);
  });

  it('an order that is too expensive for Stripe gets 402', async () => {
    const { jwt } = await app.account();
    const [row] = await rows<{ id: string }>(
      app.deps.db,
      `UPDATE credit_packages SET price_cents = 100000000 WHERE name = 'Scale' RETURNING id`,
    );
    const { status, body } = await app.call('POST', '/api/v1/billing/checkout', { jwt, body: { package_id: row?.id } });
    assert.deepEqual([status, body.error], [402, 'Credit purchase failed']);
  });

  it('the local checkout keeps sessions and events over a restart, and sends them when the service is back', async () => {
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
