/** The list of messages in a browser. The form and the timeline of a message are in send-message.test.ts. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { owner, password } from '../api/accounts/owner.js';
import { rows } from '../support/database.js';
import { xssTexts } from './console-browser.js';
import { listenForEvent, useMessages } from './use-messages.js';

describe('messages in the console', () => {
  const { app, browser, me, send, move } = useMessages();

  it('a message and each of its statuses appear without reloading', async () => {
    await browser.follow('Messages');
    await browser.see('No messages yet');
    await browser.see(/^Live$/);
    const { id } = await send({ reference: 'order-1' });
    await browser.row('order-1').getByText('queued').waitFor();
    await move(id, 'sent', 'awaiting_report');
    await browser.row('order-1').getByText('sent').waitFor();
    await move(id, 'delivered', 'delivered');
    await browser.row('order-1').getByText('delivered').waitFor();
    assert.equal(await browser.rowCount(), 1);
    await browser.assertAccessible();
  });

  it('a status that overtakes the answer of the list is shown', async () => {
    const { id } = await send({ reference: 'order-1' });
    await browser.open('/messages');
    await browser.row('order-1').getByText('queued').waitFor();
    await browser.see(/^Live$/);
    let release = () => {};
    const isRead = new Promise<void>((read) => {
      void browser.page.route('**/api/v1/messages?**', async (route) => {
        const response = await route.fetch();
        const released = new Promise<void>((resolve) => (release = resolve));
        read();
        await released;
        await route.fulfill({ response });
      });
    });
    await browser.page.getByLabel('Channel', { exact: true }).selectOption('sms');
    await browser.press('Search');
    await isRead;
    const handedOver = await listenForEvent(browser);
    await move(id, 'sent', 'awaiting_report');
    await handedOver();
    release();
    await browser.row('order-1').getByText('sent').waitFor();
  });

  it('all messages that the filters select are in the downloaded file', async () => {
    const { id } = await send({ reference: '=1+1' });
    await send({ to: 'ada@example.com', channel: 'email' });
    await browser.open('/messages?channel=sms');
    await browser.row('=1+1').waitFor();
    const [header, first, ...others] = (await browser.download('Download as CSV')).trim().split('\r\n');
    assert.match(header ?? '', /id,created_at,channel,to,status,status_detail,error_code,error_message,credits_used,segments,reference,/);
    assert.match(first ?? '', new RegExp(`^${id},20[^,]+Z,sms,\\+15551234567,queued,accepted,,,1,1,"'=1\\+1",`));
    assert.deepEqual(others, []);
  });

  it('filters are in the address: links, the back button and live changes keep to them', async () => {
    const first = await send({ reference: 'order-1' });
    await send({ to: 'ada@example.com', channel: 'email', reference: 'order-2' });
    await browser.open('/messages?status=queued');
    await browser.row('order-1').waitFor();
    assert.equal(await browser.rowCount(), 2);
    await browser.see(/^Live$/);
    await move(first.id, 'sent', 'awaiting_report');
    await browser.row('order-1').waitFor({ state: 'detached' });
    assert.equal(await browser.rowCount(), 1, 'a message with another status is no longer shown');
    await browser.see('1 in total');
    await browser.page.getByLabel('Status', { exact: true }).selectOption('');
    await browser.page.getByLabel('Channel', { exact: true }).selectOption('sms');
    await browser.press('Search');
    await browser.row('order-1').waitFor();
    assert.equal(await browser.rowCount(), 1);
    assert.equal(new URL(browser.page.url()).search, '?channel=sms');
    await browser.page.goBack();
    await browser.row('order-2').waitFor();
    assert.equal(await browser.page.getByLabel('Status', { exact: true }).inputValue(), 'queued');
    await browser.open('/messages?status=lost');
    await browser.see(/^Invalid status\. Must be one of/);
    await browser.see(/^Request/);
  });

  it('a search finds by recipient, reference and id', async () => {
    const { id } = await send({ reference: 'order-1' });
    await send({ to: '+15557654321', reference: 'order-2' });
    await browser.open('/messages');
    for (const [text, found] of [
      ['+1 555 765-4321', 'order-2'],
      ['order-1', 'order-1'],
    ] as const) {
      await browser.fill('Recipient, reference or id', text);
      await browser.press('Search');
      await browser.row(found).waitFor();
      await browser.until('document.querySelectorAll("tbody tr").length === 1');
    }
    await browser.open('/messages?to=+15557654321');
    await browser.row('order-2').waitFor();
    await browser.page.getByLabel('Channel', { exact: true }).selectOption('sms');
    await browser.press('Search');
    await browser.until('location.search.includes("channel")');
    assert.equal(new URL(browser.page.url()).searchParams.get('to'), '+15557654321');
    const reference = randomUUID().toUpperCase();
    await send({ reference });
    await browser.fill('Recipient, reference or id', reference);
    await browser.press('Search');
    await browser.row(reference).waitFor();
    await browser.until('document.querySelectorAll("tbody tr").length === 1');
    await browser.fill('Recipient, reference or id', id);
    await browser.press('Search');
    await browser.page.getByRole('heading', { name: 'Timeline' }).waitFor();
    assert.equal(new URL(browser.page.url()).pathname, `/console/messages/${id}`);
  });

  it('older messages are behind a link, at an address of their own, and the newest are live again', async () => {
    await send({ reference: 'the oldest' });
    await rows(app.deps.db, 'UPDATE workspaces SET balance = 100000 WHERE id = $1', [me.workspaceId]);
    await Promise.all(Array.from({ length: 50 }, (_, index) => send({ reference: `order-${index}` })));
    await browser.open('/messages');
    await browser.see('51 in total');
    await browser.follow('Older');
    await browser.row('the oldest').waitFor();
    assert.equal(await browser.rowCount(), 1);
    await browser.page.reload();
    await browser.row('the oldest').waitFor();
    await browser.follow('Newest');
    await browser.row('order-1').first().waitFor();
    await browser.see(/^Live$/);
    await send({ reference: 'the newest' });
    await browser.row('the newest').waitFor();
  });

  it('new messages that do not fit on the page are counted once, whatever happens to them', async () => {
    await rows(app.deps.db, 'UPDATE workspaces SET balance = 1000000 WHERE id = $1', [me.workspaceId]);
    const many = (count: number) => Promise.all(Array.from({ length: count }, () => send()));
    await many(50);
    await browser.open('/messages');
    await browser.see(/^Live$/);
    await many(50);
    await browser.see('100 in total');
    const { id } = await send();
    await browser.page.getByRole('button', { name: 'Show 1 newer' }).waitFor();
    await move(id, 'sent', 'awaiting_report');
    const { id: next } = await send();
    await browser.page.getByRole('button', { name: 'Show 2 newer' }).waitFor();
    await browser.see('102 in total');
    await browser.press('Show 2 newer');
    await browser.page.locator(`a[href$="/${next}"]`).waitFor();
  });

  it('texts of tenants and carriers are shown as text, never as code', async () => {
    for (const text of xssTexts) {
      const { id } = await send({
        to: 'ada@example.com',
        channel: 'email',
        reference: text,
        content: { text, subject: text, html: text },
        metadata: { [text]: text },
      });
      await move(id, 'failed', 'undeliverable', { error_code: text.slice(0, 20), error_message: text });
      await browser.open(`/messages/${id}`);
      await browser.page.locator('.timeline').waitFor();
      await browser.page.evaluate('for (const each of document.querySelectorAll("details")) each.open = true');
      await browser.see(text);
      await browser.assertClean();
    }
    await browser.open('/messages');
    await browser.row(xssTexts[0]).waitFor();
    assert.equal(await browser.rowCount(), xssTexts.length);
  });

  it('the list of messages says when it is not live, and comes back by itself', async () => {
    const refusal = { success: false, error: 'A workspace can have at most 20 open streams', code: 'limit_reached' };
    await browser.page.route('**/api/v1/stream**', (route) => route.fulfill({ status: 409, json: refusal }));
    await browser.open('/messages');
    await browser.page.getByRole('status').getByText('Not live: connecting again soon').waitFor();
    await browser.page.unroute('**/api/v1/stream**');
    await send({ reference: 'order-1' });
    await browser.see(/^Live$/);
    await browser.row('order-1').waitFor();
  });

  it('another workspace’s message is not found, and a failed request can be tried again', async () => {
    const { id } = await send();
    const other = await owner(app);
    await browser.enter({ email: other.email, password });
    await browser.open(`/messages/${id}`);
    await browser.see('Message not found');
    await browser.page.route('**/api/v1/messages?**', (route) => route.abort());
    await browser.open('/messages');
    await browser.see('The service cannot be reached.');
    await browser.assertAccessible();
    await browser.page.unroute('**/api/v1/messages?**');
    await browser.press('Try again');
    await browser.see('No messages yet');
  });
});
