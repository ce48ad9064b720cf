/** What screen readers announce in the console: the outcome of what was asked for, once, and nothing else. */
import assert from 'node:assert/strict';
import { useApi } from '../../api/use-api.js';
import { until } from '../../support/client.js';
import { rows } from '../../support/database.js';
import { buildWebhook } from '../../support/rows/factories.js';
import { holdAnswers } from '../hold-answers.js';
import { useConsole } from '../use-console.js';

describe('announcements of the console', () => {
  const app = useApi({ env: { TRUSTED_PROXIES: '127.0.0.1' } });
  const { browser, me } = useConsole(app);
  before(() =>
    rows(
      app.deps.db,
      `INSERT INTO contacts (id, workspace_id, phone)
       SELECT gen_random_uuid(), $1, '+155512345' || number FROM generate_series(10, 60) AS number`,
      [me.workspaceId],
    ),
  );
  const status = (text: string | RegExp) => browser.page.getByRole('status').filter({ hasText: text });
  const waiting = (button: string) => browser.page.locator('button[aria-disabled=true]', { hasText: button });
  /** Notes what live regions of the page change to from now on. @returns reads it */
  const listen = async (regions: string) => {
    await browser.page.evaluate(`{
      window.heard = [];
      const regions = ${JSON.stringify(regions)};
      const within = (node) => (node.matches?.(regions) ? [node] : [...(node.querySelectorAll?.(regions) ?? [])]);
      const note = ({ target, addedNodes }) => {
        const region = (target.closest ? target : target.parentElement)?.closest(regions);
        // A region that is inserted with its text is announced, too.
        for (const each of region ? [region] : [...addedNodes].flatMap(within)) window.heard.push(each.textContent);
      };
      new MutationObserver((changes) => changes.forEach(note)).observe(document.body, { childList: true, subtree: true, characterData: true });
    }`);
    return async () => [...new Set((await browser.page.evaluate('window.heard.filter(Boolean)')) as string[])];
  };

  it('a search says that it loads and how much it found, and another page gets the focus', async () => {
    await browser.open('/contacts');
    await status(/^51 in total$/).waitFor();
    const release = await holdAnswers(browser, '**/api/v1/contacts?**');
    await browser.page.getByRole('link', { name: 'Older' }).focus();
    await browser.page.keyboard.press('Enter');
    await status(/^Loading…$/).waitFor();
    release();
    await status(/^1 on this page$/).waitFor();
    await browser.until(`document.activeElement.matches('[role=region][aria-label=Contacts]')`);
    await browser.fill('Name, phone number or e-mail address', 'nobody');
    await browser.press('Search');
    await status(/^0 in total$/).waitFor();
    assert.equal(await browser.page.evaluate('document.activeElement.textContent'), 'Search');
  });

  it('another screen has its name and its title when it gets the focus', async () => {
    await browser.open('/contacts');
    await browser.see('51 in total');
    await browser.page.evaluate(`{
      window.focusedAs = [];
      const main = document.querySelector('main');
      const name = () => document.getElementById(main.getAttribute('aria-labelledby'))?.textContent;
      main.addEventListener('focus', () => window.focusedAs.push(name() + ', ' + document.title));
    }`);
    await browser.follow('API keys');
    await browser.see('No API keys yet');
    assert.deepEqual(await browser.page.evaluate('window.focusedAs'), ['API keys, API keys – Tidings console']);
    await browser.page.getByRole('main', { name: 'API keys' }).waitFor();
  });

  it('a problem that lasts is announced once, and another try says that it waits', async () => {
    let reads = 0;
    let release = () => {};
    await browser.page.route('**/api/v1/api-keys', async (route) => {
      reads += 1;
      const json = { success: false, error: 'Not allowed', request_id: `req-${reads}` };
      if (reads > 1) await new Promise<void>((resolve) => (release = resolve));
      await route.fulfill({ status: 403, json });
    });
    await browser.open('/keys');
    await browser.page.getByRole('alert').getByText('Not allowed').waitFor();
    const heard = await listen('[role=alert], [role=status]');
    await browser.press('Try again');
    await waiting('Try again').waitFor();
    await until(() => reads > 1, 'the second read');
    release();
    await browser.see('req-2');
    assert.deepEqual(await heard(), ['Loading…']);
  });

  it('a read that is repeated by itself announces nothing until it succeeds', async () => {
    let reads = 0;
    await browser.page.clock.install();
    await browser.page.route('**/api/v1/api-keys', (route) => ((reads += 1) < 3 ? route.abort() : route.continue()));
    await browser.open('/keys');
    await browser.page.getByRole('alert').waitFor();
    const heard = await listen('[role=alert], [role=status]');
    for (const count of [2, 3]) {
      await browser.page.getByRole('button', { name: 'Try again' }).waitFor();
      await browser.page.clock.runFor(12_000);
      await until(() => reads >= count, `read ${count}`);
    }
    await browser.see('No API keys yet');
    assert.deepEqual(await heard(), ['0 in total']);
  });

  it('the preview of a message announces price, segments and faults, and not each letter', async () => {
    await browser.open('/send?to=%2B15551234567');
    const live = browser.page.getByRole('complementary').getByRole('status');
    await live.waitFor({ state: 'attached' });
    await browser.fill('Text', 'Hello');
    await live.getByText('1 credit').waitFor();
    const heard = await listen('[role=status], [aria-live]');
    await browser.fill('Text', 'Hello Ada');
    await browser.page.getByRole('complementary').getByText('9', { exact: true }).waitFor();
    assert.deepEqual(await heard(), []);
    await browser.fill('Text', 'x'.repeat(161));
    await live.getByText('2 credits').waitFor();
    assert.deepEqual(await heard(), ['Price2 creditsSegments2']);
  });

  it('a download announces its outcome, and a chosen file its name', async () => {
    await browser.open('/contacts');
    await browser.page.locator('.pages', { hasText: '51 in total' }).waitFor();
    const heard = await listen('[role=status]');
    await browser.download('Download as CSV');
    await status(/^Saved: 51 rows$/).waitFor();
    assert.deepEqual(await heard(), ['Saved: 51 rows']);
    for (const path of ['/contacts/import', '/batches/new']) {
      await browser.open(path);
      const said = browser.page.locator('main .drop').getByRole('status');
      await said.waitFor({ state: 'attached' });
      await browser.choose('phone\r\n+15551234567\r\n', 'people.csv');
      await said.getByText('people.csv: 1 row, 1 column').waitFor();
      await browser.choose('', 'empty.csv');
      await browser.page.getByRole('alert').waitFor();
      // The file before it is still used.
      await browser.until(`document.querySelector('input[type=file]').files[0].name === 'people.csv'`);
    }
  });

  it('a refresh says that it waits, and a second press reads nothing until the first has waited for long', async () => {
    await browser.page.clock.install();
    await browser.open();
    await browser.see('No messages yet');
    const release = await holdAnswers(browser, '**/api/v1/overview?**');
    let reads = 0;
    browser.page.on('request', (request) => (reads += request.url().includes('/api/v1/overview') ? 1 : 0));
    const button = browser.page.getByRole('button', { name: 'Refresh', exact: true });
    await button.click();
    await waiting('Refresh').waitFor();
    await button.click({ force: true });
    await browser.page.clock.fastForward(30_000);
    await waiting('Refresh').waitFor({ state: 'detached' });
    assert.equal(reads, 1);
    await button.click();
    await waiting('Refresh').waitFor();
    await until(() => reads === 2, 'the second read');
    release();
    await waiting('Refresh').waitFor({ state: 'detached' });
  });

  it('a refresh of the deliveries says that it waits', async () => {
    const { id } = (await buildWebhook(me.workspaceId, 'https://example.com/')).row;
    await browser.open(`/webhooks/${id}`);
    await browser.see('No deliveries.');
    const release = await holdAnswers(browser, '**/deliveries?**');
    await browser.press('Refresh');
    await waiting('Refresh').waitFor();
    release();
    await waiting('Refresh').waitFor({ state: 'detached' });
  });

  it('a notice has an edge in forced colours', async () => {
    const border = await browser.page.evaluate(`(() => {
      const notice = document.createElement('div');
      notice.className = 'notice';
      document.body.append(notice);
      const { borderTopStyle } = getComputedStyle(notice);
      notice.remove();
      return borderTopStyle;
    })()`);
    assert.equal(border, 'solid');
  });
});
