/** Packages, checkout and ledger in a browser. */
import assert from 'node:assert/strict';
import { reply } from '../support/carriers/counterpart.js';
import { refuseWith, startStripe, type StripeCounterpart, stripeEnv } from '../support/carriers/payments.js';
import { rows } from '../support/database.js';
import { useApi } from '../api/use-api.js';
import { useConsole } from './use-console.js';

describe('billing in the console', () => {
  let provider: StripeCounterpart;
  before(async () => (provider = await startStripe()));
  after(() => provider.close());
  const app = useApi({ env: () => ({ TRUSTED_PROXIES: '127.0.0.1', ...stripeEnv(provider.url) }) });
  const { browser, me } = useConsole(app, { forEachTest: true });

  it('a purchase goes to the page of the payment provider, and back to the ledger', async () => {
    const url = `${app.url}/billing/return?checkout=success`;
    provider.answer = (response) => void reply(response, 200, { id: 'cs_test_1', object: 'checkout.session', url });
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
    provider.answer = (response) => void reply(response, 200, { id: 'cs_test_2', object: 'checkout.session', url });
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

  it('a price has the decimals of the payment provider, where Intl has others', async () => {
    const rest = `SELECT gen_random_uuid(), name, 1000, 123450, currency FROM (VALUES ('Forint', 'huf'), ('Yen', 'jpy')) v (name, currency)`;
    await rows(app.deps.db, `INSERT INTO credit_packages (id, name, credits, price_cents, currency) ${rest}`);
    await browser.follow('Billing');
    await browser.see('Forint');
    const price = (name: string) => browser.page.locator('li', { hasText: name }).locator('span').nth(1).innerText();
    assert.match(await price('Forint'), /1,234\.50$/);
    assert.match(await price('Yen'), /123,450$/);
  });

  it('a debt is shown while there is one', async () => {
    const { id } = (await me.call('GET', '/workspace')).body.data.workspace;
    await browser.follow('Billing');
    await browser.see('Buy credits');
    assert.equal(await browser.page.getByText('Debt', { exact: true }).count(), 0);
    await rows(app.deps.db, 'UPDATE workspaces SET debt = 12500 WHERE id = $1', [id]);
    await browser.page.reload();
    await browser.see('12.5 credits, which the next credits pay first');
  });

  it('an older answer with the balance does not replace a newer one', async () => {
    await browser.follow('Billing');
    const again = browser.page.getByRole('button', { name: 'Refresh' });
    await again.and(browser.page.locator('[aria-disabled=false]')).waitFor();
    let release = () => {};
    await browser.page.route(
      '**/api/v1/workspace',
      async (route) => {
        const response = await route.fetch();
        await new Promise<void>((released) => (release = released));
        await route.fulfill({ response });
      },
      { times: 1 },
    );
    const isAsked = browser.page.waitForRequest('**/api/v1/workspace');
    await again.click();
    await isAsked;
    await again.and(browser.page.locator('[aria-disabled=false]')).waitFor();
    await rows(app.deps.db, 'UPDATE workspaces SET balance = 7000 WHERE id = $1', [me.workspaceId]);
    await again.click();
    await browser.page.locator('.balance').getByText('7 credits', { exact: true }).waitFor();
    const late = browser.page.waitForResponse('**/api/v1/workspace');
    release();
    await (await late).finished();
    await browser.page.evaluate('new Promise((resolve) => setTimeout(resolve))');
    assert.equal(await browser.page.locator('.balance').innerText(), '7 credits');
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
    await browser.press('Refresh');
    await browser.until('document.querySelectorAll("tbody tr").length === 3');
  });
});
