/** What events change in the list of messages, in a browser: rows, totals and the number of newer messages. */
import assert from 'node:assert/strict';
import { rows } from '../../support/database.js';
import { inOneDay } from '../../support/parts/one-day.js';
import { holdStream, inZone, useMessages } from '../use-messages.js';

describe('live changes of the list of messages in the console', () => {
  const { app, browser, me, send, move } = useMessages();
  const newer = (count: number) => browser.page.getByRole('button', { name: `Show ${count} newer`, exact: true });

  const day = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10);
  // A day of the test that begins while it runs would be outside of the filter.
  beforeEach(inOneDay);
  const mail = { to: 'ada@example.com', channel: 'email' };
  for (const [what, query, more] of [
    ['an address in another letter case', () => 'to=Ada@Example.com', mail],
    ['a phone number whose plus sign became a space', () => 'to=+15551234567', {}],
    ['a day as the end', () => `start_date=${day(-1)}&end_date=${day(0)}`, {}],
    ['a time without a zone', () => `start_date=${new Date(Date.now() - 3_600_000).toISOString().slice(0, 16)}`, {}],
    ['a time zone whose plus sign became a space', () => `end_date=${day(1)}T10:00:00+01:00`, {}],
  ] as const) {
    it(`messages that a filter with ${what} finds appear and stay`, async () => {
      await inZone(browser, 'America/New_York', async () => {
        const { id } = await send({ ...more, reference: 'order-1' });
        await browser.open(`/messages?${query()}`);
        await browser.row('order-1').getByText('queued').waitFor();
        await browser.see(/^Live$/);
        await move(id, 'sent', 'awaiting_report');
        await send({ ...more, reference: 'order-2' });
        await browser.row('order-2').waitFor();
        assert.equal(await browser.row('order-1').getByText('sent').count(), 1);
      });
    });
  }

  it('a message that no longer has the chosen status does not count as a newer one', async () => {
    await rows(app.deps.db, 'UPDATE workspaces SET balance = 1000000 WHERE id = $1', [me.workspaceId]);
    const many = () => Promise.all(Array.from({ length: 50 }, () => send()));
    await many();
    await browser.open('/messages?status=queued');
    await browser.see('50 in total');
    await browser.see(/^Live$/);
    await many();
    await browser.see('100 in total');
    const [hidden] = await Promise.all([send(), send()]);
    await newer(2).waitFor();
    await move(hidden.id, 'sent', 'awaiting_report');
    await newer(1).waitFor();
    await browser.see('101 in total');
  });

  it('new messages wait for a button while the table is read, and rows stay where they are', async () => {
    const { page } = browser;
    await send({ reference: 'order-1' });
    await browser.open('/messages?status=queued');
    await browser.see(/^Live$/);
    // A phone of this height shows all without scrolling.
    for (const width of [1_280, 360]) {
      await page.setViewportSize({ width, height: 1_600 });
      const link = browser.row('order-1').getByRole('link');
      await link.focus();
      const [place, count] = [(await link.boundingBox())?.y, await browser.rowCount()];
      await send();
      await newer(1).waitFor();
      assert.deepEqual([await browser.rowCount(), (await link.boundingBox())?.y], [count, place], `${width} px`);
      await browser.press('Show 1 newer');
      await newer(1).waitFor({ state: 'detached' });
      assert.equal(await browser.rowCount(), count + 1);
    }
    await page.setViewportSize({ width: 1_280, height: 800 });
  });

  it('the list is up to date after the focus has left the table, or the page is back at its top', async () => {
    const { page } = browser;
    const { id } = await send({ reference: 'order-1' });
    await browser.open('/messages?status=queued');
    await browser.see(/^Live$/);
    await browser.row('order-1').getByRole('link').focus();
    await send({ reference: 'order-2' });
    await newer(1).waitFor();
    await page.getByLabel('Status', { exact: true }).focus();
    await browser.row('order-2').waitFor();
    assert.equal(await newer(1).count(), 0);
    await page.setViewportSize({ width: 1_280, height: 300 });
    await page.evaluate('scrollTo(0, 50)');
    await move(id, 'sent', 'awaiting_report');
    await browser.row('order-1').getByText('sent').waitFor();
    await browser.see('1 in total');
    assert.equal(await browser.rowCount(), 2);
    await page.evaluate('scrollTo(0, 0)');
    await browser.row('order-1').waitFor({ state: 'detached' });
    await page.setViewportSize({ width: 1_280, height: 800 });
  });

  it('rows that are read stay when the stream asks for another read, with their new statuses', async () => {
    const { id } = await send({ reference: 'order-1' });
    const connect = await holdStream(browser);
    await browser.open('/messages');
    const link = browser.row('order-1').getByRole('link');
    await link.focus();
    const place = (await link.boundingBox())?.y;
    await send({ reference: 'order-2' });
    await move(id, 'sent', 'awaiting_report');
    connect();
    await browser.row('order-1').getByText('sent').waitFor();
    await newer(1).waitFor();
    await browser.see('2 in total');
    assert.deepEqual([await browser.rowCount(), (await link.boundingBox())?.y], [1, place]);
    await send();
    await newer(2).waitFor();
    await browser.press('Show 2 newer');
    await browser.row('order-2').waitFor();
    assert.equal(await browser.rowCount(), 3);
  });

  it('a thousand events that come together are drawn together', async () => {
    let answer = () => {};
    const isAsked = new Promise<void>((asked) => {
      void browser.page.route('**/api/v1/stream**', async (route) => {
        const released = new Promise<void>((resolve) => (answer = resolve));
        asked();
        await released;
        await route.fulfill({
          contentType: 'text/event-stream',
          body: Array.from({ length: 1_000 }, (_, index) => queued(index)).join(''),
        });
      });
    });
    await browser.open('/messages');
    await browser.see('0 in total');
    await isAsked;
    await browser.page.evaluate(`{
      window.changes = 0;
      new MutationObserver(() => (window.changes += 1)).observe(document.querySelector('main'), { childList: true, subtree: true, characterData: true });
    }`);
    answer();
    await browser.see('1,000 in total');
    await browser.page.getByRole('button', { name: 'Show 900 newer' }).waitFor();
    assert.equal(await browser.rowCount(), 100);
    const changes = Number(await browser.page.evaluate('window.changes'));
    assert.ok(changes < 100, `${changes} changes`);
  });

  it('rows that are read stay when a read without an answer is repeated', async () => {
    const { page } = browser;
    await page.clock.install();
    await send({ reference: 'order-1' });
    const connect = await holdStream(browser);
    await browser.open('/messages');
    await browser.row('order-1').getByRole('link').focus();
    await page.route('**/api/v1/messages?**', (route) => route.abort());
    connect();
    await browser.see('The service cannot be reached.');
    await page.unroute('**/api/v1/messages?**');
    await send();
    await newer(1).waitFor();
    await page.clock.fastForward(10_000);
    await page.getByRole('alert').waitFor({ state: 'detached' });
    assert.deepEqual([await browser.rowCount(), await newer(1).count()], [1, 1]);
  });
});

/** The event of a new message, as the stream has it. */
function queued(index: number): string {
  const time = (Date.now() + index).toString(16).padStart(12, '0');
  const data = {
    message_id: `${time.slice(0, 8)}-${time.slice(8)}-7000-8000-000000000000`,
    channel: 'sms',
    recipient: '+15551234567',
    status: 'queued',
    credits_used: 1,
  };
  const event = { event: 'message.queued', timestamp: new Date().toISOString(), data };
  return `event: message.queued\nid: ${index}\ndata: ${JSON.stringify(event)}\n\n`;
}
