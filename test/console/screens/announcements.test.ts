/** What screen readers announce in the console: the outcome of what was asked for, once, and nothing else. */
import assert from 'node:assert/strict';
import { useApi } from '../../api/use-api.js';
import { rows } from '../../support/database.js';
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
  /** Notes what live regions of the page change to from now on. @returns reads it */
  const listen = async (regions: string) => {
    await browser.page.evaluate(`{
      window.heard = [];
      const note = ({ target }) => {
        const region = (target.closest ? target : target.parentElement)?.closest(${JSON.stringify(regions)});
        if (region) window.heard.push(region.textContent);
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

  it('a problem that lasts is announced once', async () => {
    let reads = 0;
    await browser.page.route('**/api/v1/api-keys', (route) =>
      route.fulfill({ status: 403, json: { success: false, error: 'Not allowed', request_id: `req-${(reads += 1)}` } }),
    );
    await browser.open('/keys');
    await browser.page.getByRole('alert').getByText('Not allowed').waitFor();
    const heard = await listen('[role=alert], [role=status]');
    await browser.press('Try again');
    await browser.see('req-2');
    assert.deepEqual(await heard(), []);
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

  it('a refresh says that it waits, and a second press reads nothing', async () => {
    await browser.open();
    await browser.see('No messages in this period.');
    const release = await holdAnswers(browser, '**/api/v1/overview?**');
    let reads = 0;
    browser.page.on('request', (request) => (reads += request.url().includes('/api/v1/overview') ? 1 : 0));
    const button = browser.page.getByRole('button', { name: 'Refresh', exact: true });
    await button.click();
    await browser.page.locator('button[aria-disabled=true]', { hasText: 'Refresh' }).waitFor();
    await button.click({ force: true });
    release();
    await browser.page.locator('button[aria-disabled=false]', { hasText: 'Refresh' }).waitFor();
    assert.equal(reads, 1);
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
