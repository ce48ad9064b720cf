/** What the console keeps in the browser ends with the session. */
import assert from 'node:assert/strict';
import { owner, password } from '../api/accounts/owner.js';
import { useApi } from '../api/use-api.js';
import { batchShown, csv, phone, preview } from './batches/batch-form.js';
import { useConsole } from './use-console.js';

describe('the storage of the browser', () => {
  const app = useApi({ env: { TRUSTED_PROXIES: '127.0.0.1', SIGNUP_CREDITS: '1000' } });
  const { browser, me } = useConsole(app, { forEachTest: true });

  const stored = async (): Promise<string[]> =>
    (await browser.page.evaluate('[...Object.keys(localStorage), ...Object.keys(sessionStorage)].sort()')) as string[];
  /** Leaves a batch without an answer, and the link to a webhook. */
  const leaveTraces = async () => {
    await preview(browser, csv('to', phone(7)), 'Hello');
    await browser.page.route('**/messages/bulk', (route) => route.abort());
    await browser.press('Send 1 message for 1 credit');
    await browser.see('It is not known whether the batch was accepted.');
    await browser.page.unroute('**/messages/bulk');
    await browser.page.evaluate(`sessionStorage.setItem('tidings.portal.1', 'a token'); localStorage.setItem('tidings.theme', 'dark')`);
    assert.deepEqual(await stored(), [`tidings.batches.${me.workspaceId}`, 'tidings.portal.1', 'tidings.session', 'tidings.theme']);
  };
  const loggedOut = () => browser.page.getByRole('heading', { name: 'Log in' }).waitFor();

  it('the storage of the browser has nothing of a workspace after its logout, only the colours', async () => {
    await leaveTraces();
    await browser.press('Log out');
    await loggedOut();
    assert.deepEqual(await stored(), ['tidings.theme']);
  });

  it('the storage of the browser has nothing of a workspace after its session has ended elsewhere', async () => {
    await leaveTraces();
    await me.call('POST', '/auth/logout-all');
    await browser.open('/contacts');
    await loggedOut();
    assert.deepEqual(await stored(), ['tidings.theme']);
  });

  it('the storage of the browser has nothing of the workspace that another one replaces, only its own', async () => {
    await leaveTraces();
    await browser.page.context().clearCookies();
    await browser.page.evaluate(`localStorage.removeItem('tidings.session')`);
    const other = await owner(app);
    await browser.logIn({ email: other.email, password });
    await browser.page.getByTitle(other.email).waitFor();
    assert.deepEqual(await stored(), ['tidings.session', 'tidings.theme']);
    await preview(browser, csv('to', phone(8)), 'Hello');
    await browser.press('Send 1 message for 1 credit');
    await batchShown(browser);
    assert.deepEqual(await stored(), [`tidings.batches.${other.workspaceId}`, 'tidings.session', 'tidings.theme']);
  });

  it('a browser that refuses its storage is told so, in place of forms that cannot log in', async () => {
    const refusal = `{ get() { throw new DOMException('Access is denied for this document.', 'SecurityError'); } }`;
    const entry = await browser.page.addInitScript(
      `for (const name of ['localStorage', 'sessionStorage']) Object.defineProperty(window, name, ${refusal})`,
    );
    try {
      for (const screen of ['/messages', '/sign-up']) {
        await browser.open(screen);
        await browser.see(/^The console needs cookies, which this browser refuses\./);
        assert.equal(await browser.page.locator('form').count(), 0);
      }
      await browser.assertAccessible();
    } finally {
      await entry.dispose();
    }
  });
});
