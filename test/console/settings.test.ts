/** Settings in a browser: limits, password, sessions, closing. The second factor has a file of its own. */
import assert from 'node:assert/strict';
import type { Route } from 'playwright-core';
import { password } from '../api/accounts/owner.js';
import { useApi } from '../api/use-api.js';
import { useConsole } from './use-console.js';

describe('settings in the console', function () {
  const app = useApi({ env: { TRUSTED_PROXIES: '127.0.0.1' } });
  const { browser, me } = useConsole(app, { forEachTest: true });
  beforeEach(async () => {
    await browser.follow('Settings');
    await browser.see('Daily spending limit (optional)');
  });

  const section = (name: string) => browser.page.getByRole('region', { name, exact: true });

  it('limits are saved, and a fault is beside its field', async () => {
    await browser.fill('Daily spending limit (optional)', 'much');
    await browser.press('Save');
    await browser.see('spend_limit_day must be a number');
    for (const ambiguous of ['1.500', '1,500']) {
      await browser.fill('Daily spending limit (optional)', ambiguous);
      await browser.press('Save');
      await browser.see(/^spend_limit_day can be read in two ways/);
    }
    await browser.assertAccessible();
    await browser.fill('Daily spending limit (optional)', '12.5');
    await browser.fill('Allowed countries (optional)', 'de, US');
    await browser.press('Save');
    await browser.see('Settings saved.');
    const { body } = await me.call('GET', '/workspace');
    const { spend_limit_day, allowed_countries, message_days } = body.data.workspace;
    assert.deepEqual([spend_limit_day, allowed_countries, message_days], [12.5, ['DE', 'US'], null]);
    await browser.page.reload();
    await browser.until('document.querySelector("[name=spend_limit_day]")?.value === "12.5"');
    await browser.fill('Daily spending limit (optional)', '');
    await browser.press('Save');
    await browser.see('Settings saved.');
    assert.equal((await me.call('GET', '/workspace')).body.data.workspace.spend_limit_day, null);
  });

  it('a setting that a program changed meanwhile stays when another one is saved, and is shown', async () => {
    await me.call('PUT', '/workspace', { spend_limit_day: 5, allowed_countries: ['FR'] });
    await browser.fill('Days until texts and recipients are erased (optional)', '30');
    await browser.press('Save');
    await browser.see(/^Texts and recipients of messages from before .* are erased permanently, and later ones after 30 days\.$/);
    await browser.press('Back');
    assert.equal((await me.call('GET', '/workspace')).body.data.workspace.message_days, null);
    await browser.press('Save');
    await browser.press('Save and erase');
    await browser.see('Settings saved.');
    const { body } = await me.call('GET', '/workspace');
    const { spend_limit_day, allowed_countries, message_days } = body.data.workspace;
    assert.deepEqual([spend_limit_day, allowed_countries, message_days], [5, ['FR'], 30]);
    await browser.until('document.querySelector("[name=spend_limit_day]").value === "5"');
  });

  /** The field for the days of messages, in a workspace that keeps them for ever. */
  const daysOfEver = async () => {
    await me.call('PUT', '/workspace', { message_days: 0 });
    await browser.page.reload();
    const days = browser.page.getByLabel('Days until texts and recipients are erased (optional)');
    await days.waitFor();
    return days;
  };

  it('0 days until an erasure are shown as an empty field', async () => {
    assert.equal(await (await daysOfEver()).inputValue(), '');
  });

  it('a limit of days is confirmed before it replaces 0, and 0 is saved without a question', async () => {
    const days = await daysOfEver();
    await days.fill('90');
    await browser.press('Save');
    await browser.see(/ are erased permanently, and later ones after 90 days\.$/);
    await browser.press('Save and erase');
    await browser.see('Settings saved.');
    assert.equal((await me.call('GET', '/workspace')).body.data.workspace.message_days, 90);
    const saved = browser.page.waitForResponse((response) => response.request().method() === 'PUT');
    await days.fill('0');
    await browser.press('Save');
    assert.equal((await saved).status(), 200);
    assert.equal((await me.call('GET', '/workspace')).body.data.workspace.message_days, 0);
    await browser.until('document.querySelector("[name=message_days]").value === ""');
  });

  it('a wrong current password is named, and changes nothing', async () => {
    const form = section('Password');
    await form.getByLabel('Current password').fill('wrong password');
    await form.getByLabel('New password').fill('another horse battery');
    await browser.press('Change the password');
    await form.getByText('Invalid email or password').waitFor();
    assert.equal((await me.call('GET', '/workspace')).status, 200, 'no session has ended');
  });

  it('a new password ends other sessions and keeps this one', async () => {
    const form = section('Password');
    await form.getByLabel('Current password').fill(password);
    await form.getByLabel('New password').fill('another horse battery');
    await browser.press('Change the password');
    await browser.see('Password changed. All other sessions have ended.');
    assert.equal((await me.call('GET', '/workspace')).status, 401, 'the JWT of before');
    await browser.follow('Messages');
    await browser.see('No messages yet');
  });

  it('the login screen alone says that the password is changed, if no login with it succeeds', async () => {
    await browser.page.route('**/console/session', (route) => route.abort());
    const form = section('Password');
    await form.getByLabel('Current password').fill(password);
    await form.getByLabel('New password').fill('another horse battery');
    await browser.press('Change the password');
    await browser.see('Password changed. Please log in with the new one.');
    assert.equal(await browser.page.getByText('All other sessions have ended.').count(), 0);
  });

  it('the login screen alone says that the password is changed, if the session of the new login is refused', async () => {
    const refusal = { status: 401, json: { success: false, error: 'Invalid or expired token' } };
    await browser.page.route('**/api/v1/workspace', (route) => route.fulfill(refusal));
    const form = section('Password');
    await form.getByLabel('Current password').fill(password);
    await form.getByLabel('New password').fill('another horse battery');
    await browser.press('Change the password');
    await browser.page.getByRole('heading', { name: 'Log in' }).waitFor();
    await browser.see('Password changed. Please log in with the new one.');
    assert.equal(await browser.page.getByText('All other sessions have ended.').count(), 0);
  });

  it('a new address gets a mail', async () => {
    const form = section('E-mail address');
    const address = form.getByLabel('New e-mail address');
    assert.equal(await address.getAttribute('autocomplete'), 'email');
    await address.fill('lovelace@example.com');
    await form.getByLabel('Current password').fill(password);
    await browser.press('Change the address');
    await browser.see('An e-mail with a link to confirm the new address is on the way.');
    assert.ok((await me.mails()).includes('change_email'));
  });

  it('open sessions are listed, and one of them ends after a question', async () => {
    const sessions = section('Sessions');
    const answerFirstPage = async (route: Route) => {
      const response = await route.fetch();
      const json = await response.json();
      json.data.sessions.reverse();
      json.data.pagination.next_cursor = 'more';
      await route.fulfill({ response, json });
    };
    await browser.page.route('**/auth/sessions?**', answerFirstPage, { times: 1 });
    await browser.press('Show open sessions');
    await browser.see(/^There are more than these 2, which are the newest\./);
    await sessions.locator('tbody tr').first().getByRole('cell', { name: 'Console (this one)' }).waitFor();
    await browser.assertAccessible();
    await sessions.getByRole('button', { name: /^End the session Token/ }).click();
    await browser.see(/^Token from 198\.51\.100\.1, logged in .*\d.*\. Whoever uses it/);
    await browser.press('End the session');
    await browser.see('Session ended.');
    assert.equal((await me.call('GET', '/workspace')).status, 401, 'the JWT');
    assert.equal(await sessions.getByRole('button', { name: /^End the session/ }).count(), 1);
  });

  it('all sessions end at once, after a question', async () => {
    await browser.press('End all sessions');
    await browser.press('Back');
    assert.equal((await me.call('GET', '/workspace')).status, 200);
    await browser.press('End all sessions');
    await browser.press('Log out everywhere');
    await browser.see('All sessions ended.');
    assert.equal((await me.call('GET', '/workspace')).status, 401);
  });

  it('the account is closed with the password, after a question', async () => {
    await section('Close the account').getByText('remaining credits are lost').waitFor();
    const button = section('Close the account').getByRole('button');
    assert.equal(await button.evaluate((element) => element.className), 'danger');
    await section('Close the account').getByLabel('Current password').fill(password);
    await browser.press('Close the account');
    await browser.press('Close the account permanently');
    await browser.see('Account closed.');
    assert.equal((await me.logIn()).status, 401);
  });
});
