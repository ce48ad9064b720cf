/** The overview in a browser. */
import assert from 'node:assert/strict';
import { rollUpChanges } from '../../models/operations/workspaces/roll-up-changes.js';
import { recordStatuses } from '../../models/operations/messages/record-statuses.js';
import { useApi } from '../api/use-api.js';
import { rows } from '../support/database.js';
import { buildQueued, buildWebhook } from '../support/rows/factories.js';
import { xssTexts } from './console-browser.js';
import { holdAnswers } from './hold-answers.js';
import { useConsole } from './use-console.js';

describe('the overview of the console', function () {
  const app = useApi({ env: { TRUSTED_PROXIES: '127.0.0.1' } });
  const { browser, me } = useConsole(app);
  /** The first: messages of two hours are two rows. */
  const channelValue = (channel: string) =>
    browser.page.getByRole('region', { name: 'Messages by channel: the values' }).getByRole('cell', { name: channel }).first();

  it('the overview of the console says that there is nothing yet', async () => {
    await browser.open();
    await browser.see('nothing was spent in the last 7 days');
    await browser.see('No messages yet');
    await browser.assertAccessible();
    for (const link of ['Send a message', 'Create an API key', 'Create a webhook'])
      await browser.page.locator('main').getByRole('link', { name: link, exact: true }).waitFor();
    assert.match(
      await browser.page.getByRole('region', { name: 'the request', exact: true }).innerText(),
      /^curl http.+\/api\/v1\/messages\/send/,
    );
  });

  it('the overview of the console shows sums, a chart with a table, reasons of failures and failing webhooks', async () => {
    const { db } = app.deps;
    const [delivered, failed] = [await buildQueued(db, me.workspaceId), await buildQueued(db, me.workspaceId)];
    const at = new Date();
    const move = (id: string, to: 'sent' | 'delivered' | 'failed', more: object) =>
      db.transaction((transaction) => recordStatuses(db, transaction, { to, changes: [{ id, at, status_detail: 'delivered', ...more }] }));
    for (const { id } of [delivered, failed]) await move(id, 'sent', { status_detail: 'awaiting_report' });
    await move(delivered.id, 'delivered', {});
    await move(failed.id, 'failed', { status_detail: 'undeliverable', error_code: xssTexts[0], error_message: xssTexts[0] });
    const { row: webhook } = await buildWebhook(me.workspaceId, 'https://example.com/hook');
    await rows(db, 'UPDATE webhooks SET is_active = false, disabled_reason = $2 WHERE id = $1', [webhook.id, xssTexts[1]]);
    await rollUpChanges(db, Date.now() + 10_000);
    await browser.open('?days=1');
    await browser.see('50 %');
    await browser.see(xssTexts[0]);
    await browser.see(xssTexts[1]);
    await rows(db, 'UPDATE webhooks SET disabled_reason = $2 WHERE id = $1', [webhook.id, 'another reason']);
    await browser.press('Refresh');
    await browser.see('another reason');
    await browser.page.locator('.chart canvas').first().waitFor();
    await browser.page.getByText('Messages by channel, as a table').click();
    await channelValue('sms').waitFor();
    await browser.assertAccessible();
    await browser.onPhone();
    await browser.assertAccessible();
    await browser.until('document.documentElement.scrollWidth === innerWidth');
    await browser.follow('Show the failed messages');
    await browser.page.getByRole('heading', { name: 'Messages', level: 1 }).waitFor();
    await browser.until(`document.querySelectorAll('tbody tr').length === 1`);
    await browser.row('failed').waitFor();
  });

  it('the lines of a chart differ by more than their colours, and clicking or dragging with a mouse changes nothing', async () => {
    await buildQueued(app.deps.db, me.workspaceId);
    await buildQueued(app.deps.db, me.workspaceId, { channel: 'email', to: 'ada@example.com' });
    await rollUpChanges(app.deps.db, Date.now() + 10_000);
    await browser.page.setViewportSize({ width: 1280, height: 1600 });
    await browser.open('?days=1');
    const chart = browser.page.locator('.chart').first();
    const { mouse } = browser.page;
    await chart.locator('.u-marker').nth(2).waitFor();
    const shown = await browser.page.evaluate(`(() => {
      const chart = document.querySelector('.chart');
      const markers = [...chart.querySelectorAll('.u-series .u-marker')].slice(1);
      return [chart.scrollWidth - chart.clientWidth, ...markers.map((marker) => getComputedStyle(marker).borderTopStyle)];
    })()`);
    assert.deepEqual(shown, [0, 'solid', 'dashed']);
    await chart.locator('.u-label').nth(1).click();
    assert.equal(await chart.locator('.u-legend .u-off').count(), 0);
    const box = await chart.locator('.u-over').boundingBox();
    assert.ok(box !== null);
    await mouse.move(box.x + 50, box.y + 50);
    await mouse.down();
    await mouse.move(box.x + 250, box.y + 50, { steps: 3 });
    assert.equal(await browser.page.evaluate(`document.querySelector('.u-select').clientWidth`), 0);
    await mouse.up();
  });

  it('a chart whose library could not be loaded says so, and its table has the values', async () => {
    await buildQueued(app.deps.db, me.workspaceId);
    await rollUpChanges(app.deps.db, Date.now() + 10_000);
    await browser.page.route(/\/assets\/part-\w+\.js$/, async (route) => {
      const response = await route.fetch();
      await ((await response.text()).includes('u-legend') ? route.abort() : route.fulfill({ response }));
    });
    await browser.open('?days=1');
    await browser.see('The chart could not be loaded.');
    await browser.page.getByText('Messages by channel, as a table').click();
    await channelValue('sms').waitFor();
    await browser.assertAccessible();
  });

  it('the reasons of failures on the overview are the descriptions of the API', async () => {
    const { id } = await buildQueued(app.deps.db, me.workspaceId);
    const change = { id, at: new Date(), status_detail: 'suppressed' as const, error_code: 'suppressed', error_message: 'bounced' };
    await app.deps.db.transaction((transaction) => recordStatuses(app.deps.db, transaction, { to: 'failed', changes: [change] }));
    await rollUpChanges(app.deps.db, Date.now() + 10_000);
    await browser.open('?days=1');
    await browser.row('The recipient is on a suppression list').getByText('suppressed').waitFor();
  });

  it('a webhook whose deliveries are retried is failing', async () => {
    const { row } = await buildWebhook(me.workspaceId, 'https://retried.example.com/hook');
    await rows(app.deps.db, 'UPDATE webhooks SET failing_since = now() WHERE id = $1', [row.id]);
    await browser.open('/webhooks');
    await browser.row('retried.example.com').getByText('! failing').waitFor();
  });

  it('the period of the overview is in the address', async () => {
    await browser.page.setViewportSize({ width: 1280, height: 800 });
    await browser.open();
    await browser.follow('A year');
    await browser.page.locator('.chart canvas').first().waitFor();
    assert.equal(new URL(browser.page.url()).search, '?days=365');
    await browser.page.emulateMedia({ forcedColors: 'active' });
    const background = (link: string) => `getComputedStyle(document.querySelector('.periods ${link}')).backgroundColor`;
    await browser.until(`${background('[aria-current]')} !== ${background('a:not([aria-current])')}`);
    await browser.page.emulateMedia({ forcedColors: null });
    await browser.page.goBack();
    await browser.until(`document.querySelector('.periods [aria-current]').textContent === '7 days'`);
  });

  it('the overview says when its period begins: at the start of an hour, or of a day in UTC', async () => {
    const since = browser.page.locator('.period');
    await browser.open('?days=7');
    const [, day = ''] = /^Since (\d{4}-\d\d-\d\d) 00:00 UTC$/.exec(await since.innerText()) ?? [];
    const days = (Date.now() - Date.parse(day)) / 86_400_000;
    assert.ok(days >= 7 && days < 8.1, `${days} days`);
    await browser.open('?days=1');
    const hour = await since.locator('time').getAttribute('datetime');
    const hours = (Date.now() - Date.parse(hour ?? '')) / 3_600_000;
    assert.ok(hour?.endsWith(':00:00.000Z') && hours >= 24 && hours < 25.1, `${hours} h`);
    await browser.onPhone();
    await browser.assertFitsPhone();
    await browser.page.setViewportSize({ width: 1280, height: 800 });
  });

  it('the figures of the overview appear together with the failing webhooks, in lines of the same length', async () => {
    const release = await holdAnswers(browser, '**/api/v1/webhooks?**');
    const isRead = browser.page.waitForResponse('**/api/v1/overview?**');
    await browser.open();
    await (await isRead).finished();
    await browser.page.evaluate('new Promise((done) => setTimeout(done))');
    assert.equal(await browser.page.locator('.figure').count(), 0);
    release();
    await browser.page.locator('.figure').first().waitFor();
    for (const [width, lines] of [
      [1_280, 1],
      [1_024, 2],
      [360, 3],
    ] as const) {
      await browser.page.setViewportSize({ width, height: 800 });
      const tops = `new Set([...document.querySelectorAll('.figure')].map(({ offsetTop }) => offsetTop)).size`;
      assert.equal(await browser.page.evaluate(tops), lines, `${width} px`);
    }
    await browser.page.setViewportSize({ width: 1280, height: 800 });
  });

  it('failing webhooks that could not be read are named as such, with the status of a proxy', async () => {
    await browser.page.route('**/api/v1/webhooks?**', (route) => route.fulfill({ status: 413, body: '<html>' }));
    await browser.open();
    const section = browser.page.getByRole('region', { name: 'Webhooks that fail' });
    await section.getByText('Something went wrong (status 413).').waitFor({ timeout: 10_000 });
    await browser.assertAccessible();
    await browser.page.unrouteAll();
    await section.getByRole('button', { name: 'Try again' }).click();
    await section.getByText('Something went wrong').waitFor({ state: 'detached' });
  });
});
