/** The console with a keyboard and a screen reader: what gets the focus, what is announced, and what names things have. */
import assert from 'node:assert/strict';
import type { Locator } from 'playwright-core';
import { attemptWith, buildDeliveries, recordAttempts } from '../../support/rows/deliveries.js';
import { buildReplay, buildWebhook } from '../../support/rows/factories.js';
import { useApi } from '../../api/use-api.js';
import { holdAnswers } from '../hold-answers.js';
import { useConsole } from '../use-console.js';

describe('the console with a screen reader', () => {
  const app = useApi({ env: { TRUSTED_PROXIES: '127.0.0.1' } });
  const { browser, me } = useConsole(app);
  const button = (name: string | RegExp) => browser.page.getByRole('button', { name, exact: true });
  const dialog = () => browser.page.getByRole('dialog');
  const focusIsOn = (text: string) => browser.until(`document.activeElement.textContent.startsWith(${JSON.stringify(text)})`);
  const isSameAfter = async (locator: Locator, ms: number) => {
    await browser.page.clock.fastForward(ms);
    assert.equal(await locator.count(), 1);
  };
  /** Opens the settings, and makes a request fail. @returns its notice, which stays */
  const failedNotice = async () => {
    await browser.page.route('**/logout-all', (route) => route.abort());
    await browser.open('/settings');
    await browser.press('End all sessions');
    await browser.press('Log out everywhere');
    const notice = browser.page.locator('.notice');
    await notice.waitFor();
    return notice;
  };
  /** Live regions would read them letter by letter. */
  const assertNoSecretIsLive = async () =>
    assert.equal(await browser.page.locator('main [role=status] :is(pre, button):not(.copy *)').count(), 0);

  it('a rotated key gets the focus, and the questions about its two rows name the prefix and the end', async () => {
    const name = 'x'.repeat(100);
    const { key_prefix: prefix } = (await me.call('POST', '/api-keys', { name })).body.data;
    await browser.open('/keys');
    await button(new RegExp(`^Rotate ${name} ${prefix}`)).click();
    await dialog().getByText(`"${name}" (${prefix}) gets a new value`).waitFor();
    assert.equal(await dialog().evaluate('document.querySelector("dialog").scrollWidth - document.querySelector("dialog").clientWidth'), 0);
    await browser.press('Rotate the key');
    await focusIsOn('Store the new key now');
    await assertNoSecretIsLive();
    await button(new RegExp(`^Revoke ${name} ${prefix}, until .*\\d`)).click();
    await dialog()
      .getByText(new RegExp(`"${name}" \\(${prefix}, until .*\\d.*\\) are refused`))
      .waitFor();
    await browser.press('Back');
    const names: string[] = await browser.page.evaluate('[...document.querySelectorAll("td button")].map(({ ariaLabel }) => ariaLabel)');
    assert.deepEqual([names.length, new Set(names).size], [4, 4]);
    await browser.press('I have stored the key');
  });

  it('a new secret and the link of a webhook get the focus, and its replay and order have names', async () => {
    const { id } = (await buildWebhook(me.workspaceId, 'https://example.com/')).row;
    await buildReplay(id);
    await browser.open(`/webhooks/${id}`);
    await button(/^Cancel the replay started .*\d/).waitFor();
    await browser.press("Link for the receiver's owner");
    await focusIsOn('Whoever has this link');
    await browser.press('Rotate the secret');
    await dialog().getByRole('button', { name: 'Rotate the secret' }).click();
    await browser.page.getByRole('region', { name: 'the new secret' }).waitFor();
    await browser.until('document.activeElement.nextElementSibling?.className === "copy-block"');
    await assertNoSecretIsLive();
    await browser.press('I have stored the secret');
    await browser.follow('Change');
    await browser.page.getByRole('checkbox', { name: 'One event at a time, oldest first', exact: true }).waitFor();
  });

  it('a link that comes while the user types leaves the focus in the field, and is announced', async () => {
    const { id } = (await buildWebhook(me.workspaceId, 'https://example.com/')).row;
    await browser.open(`/webhooks/${id}`);
    const release = await holdAnswers(browser, '**/portal');
    await browser.press("Link for the receiver's owner");
    const field = browser.page.getByLabel('Message id');
    await field.focus();
    release();
    await browser.page.getByRole('region', { name: 'the link' }).waitFor();
    await browser.page.keyboard.type('0190');
    assert.equal(await field.inputValue(), '0190');
    await browser.page
      .getByRole('status')
      .getByText(/^Whoever has this link .+\.$/)
      .waitFor();
  });

  it('a new key that comes while a question is open gets the focus after it, and two of one name have their prefixes', async () => {
    const create = async () => (await me.call('POST', '/api-keys', { name: 'twin' })).body.data.key_prefix as string;
    const former = [await create(), await create()];
    await browser.open('/keys');
    const release = await holdAnswers(browser, '**/rotate');
    await button(`Rotate twin ${former[0]}`).click();
    await browser.press('Rotate the key');
    await button(`Rotate twin ${former[1]}`).click();
    await dialog().waitFor();
    release();
    await browser.page.locator('.copy-block').waitFor();
    await browser.page.keyboard.press('Escape');
    await focusIsOn('Store the new key now');
    await button(`Rotate twin ${former[1]}`).click();
    await browser.press('Rotate the key');
    await focusIsOn('Store the new keys now');
    const blocks = await browser.page.locator('.copy-block').all();
    const names = await Promise.all(blocks.map((block) => block.getByRole('region').getAttribute('aria-label')));
    assert.deepEqual([names.length, new Set(names).size], [2, 2]);
    for (const prefix of former) await browser.see(new RegExp(`^twin .+ in place of ${prefix}$`));
    await browser.press('I have stored the keys');
  });

  it('a notice is read alone, and stays while it is pointed at or has the focus', async () => {
    const { page } = browser;
    await page.clock.install();
    await browser.open('/settings');
    const [notice, close] = [page.locator('.notice'), button('Close')];
    await button('Save').focus();
    await page.keyboard.press('Enter');
    await notice.hover();
    await isSameAfter(notice, 60_000);
    await close.focus();
    await page.mouse.move(0, 0);
    await isSameAfter(notice, 60_000);
    assert.equal(await page.locator('.notices').getAttribute('aria-atomic'), 'false');
    assert.equal(await page.locator(`[id="${await close.getAttribute('aria-describedby')}"]`).innerText(), 'Settings saved.');
    const colours = '(({ outlineColor, color }) => [outlineColor, color])(getComputedStyle(document.activeElement))';
    const [outline, text] = (await page.evaluate(colours)) as [string, string];
    assert.equal(outline, text, 'the ring around the button is seen');
    await button('Save').focus();
    await page.clock.fastForward(20_000);
    await notice.waitFor({ state: 'detached' });
  });

  it('a notice hides nothing that gets the focus, and Escape closes it after the question above it', async () => {
    const { page } = browser;
    await browser.onPhone();
    const notice = await failedNotice();
    await button('Close the account').focus();
    const edges = '[".notices", "[aria-labelledby=close] button"].map((each) => document.querySelector(each).getBoundingClientRect())';
    await browser.until(`(([{ top }, { bottom }]) => bottom <= top)(${edges})`);
    await browser.press('End all sessions');
    await dialog().waitFor();
    await page.keyboard.press('Escape');
    // The dialog is hidden before the console knows the answer.
    await browser.until(`document.querySelector('dialog') === null`);
    assert.equal(await notice.count(), 1);
    await page.keyboard.press('Escape');
    await notice.waitFor({ state: 'detached' });
  });

  it('Escape in a search field empties it, or ends the input of a word, before it closes a notice', async () => {
    const { page } = browser;
    const notice = await failedNotice();
    await browser.follow('Contacts');
    const search = page.getByRole('searchbox').first();
    await search.fill('Ada');
    await page.keyboard.press('Escape');
    await browser.until(`document.activeElement.type === 'search' && document.activeElement.value === ''`);
    assert.equal(await notice.count(), 1);
    await search.dispatchEvent('keydown', { key: 'Escape', isComposing: true });
    assert.equal(await notice.count(), 1);
    await page.keyboard.press('Escape');
    await notice.waitFor({ state: 'detached' });
  });

  it('blocks of code have names and are reached by keyboard', async () => {
    const { id } = (await buildWebhook(me.workspaceId, 'https://example.com/')).row;
    const delivery = (await buildDeliveries(app.deps.db, me.workspaceId)).find((each) => each.webhook_id === id);
    assert.ok(delivery !== undefined);
    await recordAttempts(app.deps.db, [attemptWith(delivery, { status: 'pending', inSeconds: 3_600 })]);
    const content = { subject: 'News', text: 'Hello', html: '<p>Hello</p>' };
    const sent = { to: 'ada@example.com', channel: 'email', content, metadata: { order: 4147 } };
    const { key } = (await me.call('POST', '/api-keys', { name: 'sender' })).body.data;
    const { body } = await app.call('POST', '/api/v1/messages/send', { key, body: sent });
    for (const path of [`/messages/${body.data.message.id}`, `/webhooks/${id}/deliveries/${delivery.id}`]) {
      await browser.open(path);
      await browser.page.locator('pre').first().waitFor({ state: 'attached' });
      await browser.page.evaluate('for (const each of document.querySelectorAll("details")) each.open = true');
      const blocks = '[...document.querySelectorAll("pre")].map(({ tabIndex, role, ariaLabel }) => [tabIndex, role, ariaLabel !== null])';
      for (const block of (await browser.page.evaluate(blocks)) as unknown[]) assert.deepEqual(block, [0, 'region', true], path);
      await browser.assertAccessible();
    }
  });

  it('a new custom field of a contact has the focus, and a label that is seen', async () => {
    await browser.open('/contacts/new');
    for (const count of [1, 2]) {
      await browser.press('Add a custom field');
      await browser.until(`document.activeElement.ariaLabel === 'Name of custom field ${count}'`);
    }
    await browser.page.locator('fieldset').getByText('Value', { exact: true }).waitFor();
  });
});
