/** The console by keyboard: where the focus is after something was done. */
import assert from 'node:assert/strict';
import { password } from '../../api/accounts/owner.js';
import { useApi } from '../../api/use-api.js';
import { holdAnswers } from '../hold-answers.js';
import { useConsole } from '../use-console.js';

const focused = `(({ tagName, ariaLabel, textContent }) => [tagName, ariaLabel ?? textContent.trim()].join(' '))(document.activeElement)`;

describe('the focus of the console', () => {
  const app = useApi({ env: { TRUSTED_PROXIES: '127.0.0.1' } });
  const { browser, me } = useConsole(app, { forEachTest: true });

  /** Opens the keys, of which there is one, and puts the focus on the button that revokes it. */
  async function atRevoke(): Promise<void> {
    await me.call('POST', '/api-keys', { name: 'orders' });
    await browser.open('/keys');
    await browser.page.getByRole('button', { name: /^Revoke orders/ }).focus();
  }

  it('an Enter key that is held on a button confirms nothing', async () => {
    await atRevoke();
    const { keyboard } = browser.page;
    const changes: string[] = [];
    browser.page.on('request', (request) => request.method() !== 'GET' && changes.push(request.url()));
    await keyboard.down('Enter');
    await browser.page.getByRole('dialog').waitFor();
    for (let repeats = 0; repeats < 3; repeats++) await keyboard.down('Enter');
    await keyboard.up('Enter');
    await browser.page.evaluate(`fetch('/live').then(({ status }) => status)`); // what the key asked for has been requested before
    assert.deepEqual(changes, []);
  });

  it('a button that goes with its row leaves the focus in the table', async () => {
    await atRevoke();
    await browser.page.keyboard.press('Enter');
    await browser.press('Revoke the key');
    await browser.row('inactive').waitFor();
    await browser.until(`${focused} === 'DIV API keys'`);
  });

  it('the button of a form keeps the focus while its answer is awaited, and after it', async () => {
    await browser.open('/settings');
    await browser.page.getByRole('button', { name: 'Save' }).focus();
    const release = await holdAnswers(browser, '**/api/v1/workspace');
    await browser.page.keyboard.press('Enter');
    await browser.page.locator('button[aria-disabled=true]').waitFor();
    assert.equal(await browser.page.evaluate(focused), 'BUTTON Save');
    release();
    await browser.page.locator('button[aria-disabled=true]').waitFor({ state: 'detached' });
    assert.equal(await browser.page.evaluate(focused), 'BUTTON Save');
  });

  it('what replaces a form after it was sent gets the focus', async () => {
    await browser.open('/keys/new');
    await browser.fill('Name', 'orders');
    await browser.page.keyboard.press('Enter');
    await browser.see('API key created');
    await browser.until(`document.activeElement.id === 'main'`);
  });

  it('the first screen gets the focus after the login', async () => {
    await browser.leave();
    await browser.open('/messages');
    await browser.fill('E-mail address', me.email);
    await browser.fill('Password', password);
    await browser.page.keyboard.press('Enter');
    await browser.page.getByRole('button', { name: 'Log out' }).waitFor();
    await browser.until(`document.activeElement.id === 'main'`);
  });

  it('an error of a button stays until it is closed, and leaves the focus near it', async () => {
    await atRevoke();
    await browser.page.route('**/api/v1/api-keys/*', (route) => route.abort());
    await browser.page.clock.install();
    const notices = browser.page.getByRole('button', { name: 'Close', exact: true });
    for (const count of [1, 2]) {
      await browser.press(/^Revoke orders/);
      await browser.press('Revoke the key');
      await notices.nth(count - 1).waitFor();
    }
    await browser.page.clock.runFor(60_000);
    assert.equal(await notices.count(), 2);
    assert.equal(await browser.page.locator('.notice', { hasText: 'The service cannot be reached.' }).count(), 2);
    await notices.first().focus();
    await browser.page.keyboard.press('Enter');
    await browser.until(`document.activeElement.className === 'notices'`);
    await browser.page.keyboard.press('Tab');
    await browser.page.keyboard.press('Enter');
    await browser.until(`document.activeElement.id === 'main'`);
    assert.equal(await notices.count(), 0);
  });
});
