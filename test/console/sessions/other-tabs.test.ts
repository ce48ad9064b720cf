/** Two tabs of one browser share the cookie of the session: what one of them does must not reach the other one's screens. */
import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import { type Owner, owner, password } from '../../api/accounts/owner.js';
import { useApi } from '../../api/use-api.js';
import { holdAnswers } from '../hold-answers.js';
import { logInAs, useConsole } from '../use-console.js';

describe('the console in two tabs', function () {
  const app = useApi({ env: { TRUSTED_PROXIES: '127.0.0.1' } });
  const { browser, me } = useConsole(app, { forEachTest: true });
  let tab: Page;
  let other: Owner;
  beforeEach(async () => {
    other = await owner(app);
    await browser.open('/send');
    await browser.fill('To', '+15551234567');
    const isRead = browser.page.waitForResponse('**/api/v1/workspace');
    await browser.fill('Text', 'From the first workspace');
    await (await isRead).finished(); // the balance is read after the preview: later neither finds out that the session has ended
    tab = await browser.page.context().newPage();
    await tab.goto(`${app.url}/console`);
  });
  afterEach(() => tab.close());

  it('a logout in another tab shows the form in this one, and a login there shows that workspace here', async () => {
    await tab.getByRole('button', { name: 'Log out' }).click();
    await browser.page.getByRole('heading', { name: 'Log in' }).waitFor();
    await tab.getByLabel('E-mail address').fill(other.email);
    await tab.getByLabel('Password').fill(password);
    await tab.getByRole('button', { name: 'Log in' }).click();
    await browser.page.getByTitle(other.email).waitFor();
    assert.equal(await browser.page.getByLabel('Text', { exact: true }).inputValue(), '');
  });

  it('a theme that is chosen in another tab is that of this one', async () => {
    await tab.getByRole('button', { name: 'Theme: system' }).click();
    await tab.getByRole('button', { name: 'Theme: light' }).click();
    await browser.page.getByRole('button', { name: 'Theme: dark' }).waitFor();
    await browser.until(`document.documentElement.dataset.theme === 'dark'`);
  });

  it('a login in another tab that this one has not heard of sends nothing from here', async () => {
    // A tab does not hear of its own changes: this one is as late as a frozen one.
    const login = JSON.stringify({ email: other.email, password });
    const headers = '{ "Content-Type": "application/json" }';
    await browser.page.evaluate(`fetch('/console/session', { method: 'POST', headers: ${headers}, body: ${JSON.stringify(login)} })`);
    await browser.page.evaluate(`localStorage.setItem('tidings.session', '${other.workspaceId}')`);
    let sent = 0;
    browser.page.on('request', (request) => (sent += request.url().endsWith('/messages/send') ? 1 : 0));
    await browser.press('Send');
    await browser.page.getByTitle(other.email).waitFor();
    assert.equal(sent, 0);
  });

  it('a tab that loads while another workspace logs in elsewhere shows the messages of that workspace', async () => {
    const answer = await holdAnswers(browser, '**/api/v1/workspace');
    const opened = browser.page.waitForRequest('**/api/v1/stream**');
    await browser.page.goto(`${app.url}/console/messages`);
    await opened; // with the cookie of the first workspace
    const login = JSON.stringify({ email: other.email, password });
    const headers = '{ "Content-Type": "application/json" }';
    await tab.evaluate(`fetch('/console/session', { method: 'POST', headers: ${headers}, body: ${JSON.stringify(login)} })`);
    const openedAgain = browser.page.waitForRequest('**/api/v1/stream**');
    await tab.evaluate(`localStorage.setItem('tidings.session', '${other.workspaceId}')`);
    answer();
    await openedAgain;
    await browser.page.getByTitle(other.email).waitFor();
  });

  it('an answer with the workspace that comes after the logout does not log in again', async () => {
    const answer = await holdAnswers(browser, '**/api/v1/workspace');
    const asked = browser.page.waitForRequest('**/api/v1/workspace');
    await browser.follow('Billing');
    await asked;
    await browser.press('Log out');
    await browser.page.getByRole('heading', { name: 'Log in' }).waitFor();
    const answered = browser.page.waitForResponse('**/api/v1/workspace');
    answer();
    await (await answered).finished();
    await browser.page.evaluate('new Promise((resolve) => setTimeout(resolve))');
    assert.equal(await browser.page.getByRole('button', { name: 'Log out' }).count(), 0);
  });

  it('a logout after the session ended elsewhere leaves no notice, and nothing that was written', async () => {
    // Nothing finds it out before the press of the button: neither the other tab nor the end of the stream.
    await tab.goto('about:blank');
    await browser.page.route('**/api/v1/balance', (route) => route.abort());
    await me.call('POST', '/auth/logout-all');
    await browser.press('Log out');
    await browser.page.getByRole('heading', { name: 'Log in' }).waitFor();
    assert.equal(await browser.page.getByText(/^Invalid or expired token|^Your session has ended/).count(), 0);
    await logInAs(browser, me.email);
    assert.equal(await browser.page.getByLabel('Text', { exact: true }).inputValue(), '');
  });

  it('a button that finds out the end of the session leaves no notice over the login form', async () => {
    await me.call('POST', '/api-keys', { name: 'A key' });
    await browser.follow('API keys');
    await browser.press(/^Revoke/);
    await browser.page.getByRole('dialog').waitFor();
    await tab.goto('about:blank');
    await browser.page.route('**/api/v1/balance', (route) => route.abort());
    await me.call('POST', '/auth/logout-all');
    await browser.press('Revoke the key');
    await browser.see('Your session has ended. Please log in again.');
    assert.equal(await browser.page.getByRole('button', { name: 'Close', exact: true }).count(), 0);
  });

  it('a question that is open when the session ends is answered with no', async () => {
    await me.call('POST', '/api-keys', { name: 'A key' });
    await browser.follow('API keys');
    await browser.press(/^Revoke/);
    const dialog = browser.page.getByRole('dialog');
    await dialog.waitFor();
    await tab.getByRole('button', { name: 'Log out' }).click();
    await browser.page.getByRole('heading', { name: 'Log in' }).waitFor();
    await dialog.waitFor({ state: 'detached' });
    await logInAs(browser, other.email);
    await browser.see('No API keys yet');
  });
});
