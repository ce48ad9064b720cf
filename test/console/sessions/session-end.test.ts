/** What was put into a screen when its session ends: its owner finds it after the next login, and nobody else. */
import assert from 'node:assert/strict';
import { type Owner, owner, password } from '../../api/accounts/owner.js';
import { useApi } from '../../api/use-api.js';
import { rows } from '../../support/database.js';
import { batchShown, csv, phone, preview } from '../batches/batch-form.js';
import { loseAnswers } from '../hold-answers.js';
import { useConsole } from '../use-console.js';

describe('a session of the console that ends while something is written', () => {
  const app = useApi({ env: { TRUSTED_PROXIES: '127.0.0.1', SIGNUP_CREDITS: '1000' } });
  const { browser, me } = useConsole(app, { forEachTest: true });

  const field = (label: string) => browser.page.getByLabel(label, { exact: true });
  const loggedOut = () => browser.page.getByRole('heading', { name: 'Log in' }).waitFor();
  /** Logs in with the form that is shown, where it is shown. */
  const logInAgain = async ({ email }: Pick<Owner, 'email'>, page = browser.page) => {
    await page.getByLabel('E-mail address').fill(email);
    await page.getByLabel('Password').fill(password);
    await page.getByRole('button', { name: 'Log in' }).click();
    await page.getByTitle(email).waitFor();
  };
  /** The press of a button finds out that the session has ended. The button is gone, before or after it is found, if another request finds out first. */
  const endSession = async (button: string) => {
    await me.call('POST', '/auth/logout-all');
    await browser.page.getByRole('button', { name: button, exact: true }).evaluateAll((found) => {
      const element = found[0] as unknown as { isConnected: boolean; click(): void } | undefined;
      if (element?.isConnected === true) element.click();
    });
    await loggedOut();
  };
  const writeMail = async () => {
    await browser.open('/send?to=%2B15551234567');
    await field('Channel').selectOption('email');
    await browser.fill('To', 'ada@example.com');
    await browser.fill('Subject', 'A subject');
    await browser.fill('Text', 'A long text');
  };

  it('a message that was written when the session ended is in the form after the login, and is sent', async () => {
    await writeMail();
    await endSession('Send');
    const stored = await browser.page.evaluate('JSON.stringify([{ ...localStorage }, { ...sessionStorage }])');
    assert.doesNotMatch(String(stored), /ada@example|long text/);
    await logInAgain(me);
    await browser.until('document.querySelector("[name=\\"content.subject\\"]")?.value === "A subject"');
    assert.deepEqual(
      [await field('Channel').inputValue(), await field('To').inputValue(), await field('Text').inputValue()],
      ['email', 'ada@example.com', 'A long text'],
    );
    await browser.press('Send');
    await browser.page.getByRole('heading', { name: 'Timeline' }).waitFor();
    await browser.open('/send?to=%2B15551234567');
    assert.equal(await field('Text').inputValue(), '');
  });

  it('a batch that was written when the session ended has its file, text and columns after the login', async () => {
    await browser.open('/batches/new');
    await browser.choose(csv('to,name,nickname', `${phone(1)},Ada,Countess`));
    await browser.fill('Text', 'Hello {{ name }}');
    await browser.page.getByLabel('{{ name }} is in').selectOption({ label: 'nickname: Countess' });
    await browser.page.getByLabel('Allow duplicate recipients').check();
    await endSession('Preview');
    await logInAgain(me);
    await browser.page.getByLabel('{{ name }} is in').waitFor();
    assert.equal(await browser.page.getByLabel('Allow duplicate recipients').isChecked(), true);
    await browser.press('Preview');
    await browser.see('Hello Countess');
  });

  it('a batch without an answer is not sent twice by a send after the login', async () => {
    await preview(browser, csv('to', phone(1)), 'Hello');
    await loseAnswers(browser, '**/messages/bulk');
    await browser.press('Send 1 message for 1 credit');
    await browser.see('It is not known whether the batch was accepted.');
    await browser.page.unrouteAll();
    await endSession('Preview');
    await logInAgain(me);
    await browser.until('document.querySelector("textarea")?.value === "Hello"');
    await browser.press('Preview');
    await browser.press('Send 1 message for 1 credit');
    await browser.press('The same batch: send it once');
    await batchShown(browser);
    assert.equal((await rows(app.deps.db, 'SELECT id FROM batches WHERE workspace_id = $1', [me.workspaceId])).length, 1);
  });

  it('a message without an answer is not sent twice by a send after the login', async () => {
    await writeMail();
    await loseAnswers(browser, '**/messages/send');
    await browser.press('Send');
    await browser.see('The service cannot be reached.');
    await browser.page.unrouteAll();
    await endSession('Send');
    await logInAgain(me);
    await browser.until('document.querySelector("textarea")?.value === "A long text"');
    await browser.press('Send');
    await browser.page.getByRole('heading', { name: 'Timeline' }).waitFor();
    assert.equal((await rows(app.deps.db, 'SELECT id FROM messages WHERE workspace_id = $1', [me.workspaceId])).length, 1);
  });

  it('custom fields that were added to a contact when the session ended are there after the login', async () => {
    await browser.open('/contacts/new');
    await browser.fill('Phone number', '+15551234567');
    await browser.press('Add a custom field');
    await browser.press('Add a custom field');
    await browser.fill('Name of custom field 2', 'city');
    await browser.fill('Value of custom field 2', 'Rome');
    await endSession('Create');
    await logInAgain(me);
    await browser.page.getByLabel('Value of custom field 2').waitFor();
    await browser.until('document.querySelectorAll("[name=custom_value]")[1].value === "Rome"');
    assert.equal(await field('Phone number').inputValue(), '+15551234567');
    assert.equal(await field('Name of custom field 2').inputValue(), 'city');
  });

  it('an import that the end of the session stopped continues after the login', async () => {
    await browser.open('/contacts/import');
    await browser.choose(csv('phone', phone(1), phone(2), phone(3)));
    let count = 0;
    await browser.page.route('**/api/v1/contacts', async (route) => {
      if ((count += 1) === 2) await me.call('POST', '/auth/logout-all');
      await route.continue();
    });
    await browser.press('Import 3 rows');
    await loggedOut();
    await logInAgain(me);
    await browser.see('Stopped: 1 created, 0 refused of 3 rows');
    await browser.press('Continue with the rest');
    await browser.see('Done: 3 created, 0 refused of 3 rows');
  });

  it('a password is gone from its form after a new login, and the address beside it is not', async () => {
    await browser.open('/settings');
    const form = browser.page.locator('form').filter({ has: browser.page.getByRole('button', { name: 'Change the address' }) });
    await form.getByLabel('E-mail address').fill('new@example.com');
    await form.getByLabel('Current password').fill(password);
    await endSession('Change the address');
    await logInAgain(me);
    await browser.until('[...document.querySelectorAll("[name=email]")].some(({ value }) => value === "new@example.com")');
    assert.equal(await form.getByLabel('Current password').inputValue(), '');
  });

  it('another workspace that logs in gets nothing of what was written, and it is forgotten', async () => {
    const other = await owner(app);
    await writeMail();
    await endSession('Send');
    await logInAgain(other);
    assert.deepEqual([await field('To').inputValue(), await field('Text').inputValue()], ['+15551234567', '']);
    await browser.press('Log out');
    await loggedOut();
    await logInAgain(me);
    assert.deepEqual([await field('To').inputValue(), await field('Text').inputValue()], ['+15551234567', '']);
  });

  it('the console tells a user who comes back without a session that it has ended', async () => {
    await browser.open();
    await browser.page.getByTitle(me.email).waitFor();
    await browser.page.goto('about:blank'); // an open screen would find it out itself
    await browser.page.context().clearCookies();
    await browser.open('/login');
    await browser.see('Your session has ended. Please log in again.');
  });

  it('who logs out finds an empty form after the next login', async () => {
    await writeMail();
    await browser.press('Log out');
    await loggedOut();
    await logInAgain(me);
    assert.equal(await field('Text').inputValue(), '');
  });

  it('what was written in one tab is there after a login in another one', async () => {
    await writeMail();
    const tab = await browser.page.context().newPage();
    await tab.goto(`${app.url}/console`);
    await tab.getByTitle(me.email).waitFor();
    await me.call('POST', '/auth/logout-all');
    // One of them finds out, and tells the other one. A click of playwright would wait for a page that is gone.
    await tab.evaluate('document.querySelector("a[href$=billing]")?.click()');
    await loggedOut();
    await tab.getByRole('heading', { name: 'Log in' }).waitFor();
    await logInAgain(me, tab);
    await browser.page.getByTitle(me.email).waitFor();
    await browser.until('document.querySelector("textarea")?.value === "A long text"');
    await tab.close();
  });
});
