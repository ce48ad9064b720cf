/** Packages, checkout and ledger in a browser. */
import assert from 'node:assert/strict';
import { type FakeProvider, refuseWith, startFakeProvider, stripeEnv } from '../support/carriers/payments.js';
import { useApi } from '../api/use-api.js';
import { useConsole } from './use-console.js';

describe('billing in the console', () => {
  let provider: FakeProvider;
  before(async () => (provider = await startFakeProvider()));
  after(() => provider.close());
  const app = useApi({ env: () => ({ TRUSTED_PROXIES: '127.0.0.1', ...stripeEnv(provider.url) }) });
  const { browser, me } = useConsole(app, { forEachTest: true });

  it('a purchase goes to the page of the payment provider, and back to the ledger', async () => {
    provider.answer = (response) =>
      response
        .writeHead(200, { 'Content-Type': 'application/json' })
        .end(JSON.stringify({ id: 'cs_test_1', object: 'checkout.session', url: `${app.url}/billing/return?checkout=success` }));
    await browser.follow('Billing');
    await browser.see('Buy credits');
    await browser.assertAccessible();
    await browser.page.getByRole('button', { name: /^Buy / }).first().click();
    await browser.see('Thank you');
    assert.equal(provider.asked.length, 1);
    await browser.follow('Balance and ledger');
    await browser.see('Buy credits');
  });

  it('a button whose page does not open leads to the same checkout again', async () => {
    const url = `${app.url}/billing/return?checkout=lost`;
    provider.answer = (response) =>
      response
        .writeHead(200, { 'Content-Type': 'application/json' })
        .end(JSON.stringify({ id: 'cs_test_2', object: 'checkout.session', url }));
    let isOpen = false;
    // The browser stays on the page for an answer without content.
    await browser.page.route(url, (route) => (isOpen ? route.continue() : route.fulfill({ status: 204 })));
    await browser.follow('Billing');
    const asked = provider.asked.length;
    const buy = browser.page.getByRole('button', { name: /^Buy / }).first();
    await Promise.all([browser.page.waitForResponse(url), buy.click()]);
    isOpen = true;
    await buy.click();
    await browser.page.waitForURL(url);
    assert.equal(provider.asked.length, asked + 1);
  });

  it('a refusal of the payment provider is shown, and leaves the button usable', async () => {
    provider.answer = refuseWith(402);
    await browser.follow('Billing');
    const buy = browser.page.getByRole('button', { name: /^Buy / }).first();
    await buy.click();
    await browser.page.getByRole('alert').waitFor();
    assert.equal(await browser.page.getByText('secret words').count(), 0);
    assert.equal(await buy.isEnabled(), true);
    await browser.assertAccessible();
  });

  it('the ledger has every change of the balance, by pages', async () => {
    await me.call('PUT', '/workspace', { spend_limit_day: 50 });
    const body = { channel: 'sms', to: '+15551234567', content: { text: 'Hello' } };
    const { key } = (await me.call('POST', '/api-keys', { name: 'program' })).body.data;
    const { status } = await app.call('POST', '/api/v1/messages/send', { key, body });
    assert.equal(status, 201);
    await browser.follow('Billing');
    const [debit] = (await me.call('GET', '/billing/transactions')).body.data.transactions;
    assert.ok(debit.amount < 0);
    // A cell of its own: the row's id may contain "-1", too.
    await browser.row(debit.description).first().getByText(String(debit.amount), { exact: true }).waitFor();
    await browser.see('50 credits');
    await browser.see(/in total$/);
    const [header, first] = (await browser.download('Download as CSV')).trim().split('\r\n');
    assert.match(header ?? '', /created_at,type,description,amount,balance_after,reference,id$/);
    // A negative amount stays a number for spreadsheets.
    assert.ok(first?.includes(`,${debit.amount},${debit.balance_after},`), first);
    assert.equal((await app.call('POST', '/api/v1/messages/send', { key, body: { ...body, to: '+15551234568' } })).status, 201);
    await browser.press('Read again');
    await browser.until('document.querySelectorAll("tbody tr").length === 3');
  });
});
