/** The message list, a message and the send form, in a browser. */
import assert from 'node:assert/strict';
import { recordStatuses } from '../../models/operations/messages/record-statuses.js';
import { owner, password } from '../api/accounts/owner.js';
import { useApi } from '../api/use-api.js';
import { rows } from '../support/database.js';
import { xssTexts } from './console-browser.js';
import { useConsole } from './use-console.js';

describe('messages in the console', function () {
  this.timeout(60_000);
  const app = useApi({ env: { TRUSTED_PROXIES: '127.0.0.1', TEMPORAL_UI_URL: 'https://temporal.example.com/' } });
  const { browser, me } = useConsole(app, { forEachTest: true });

  /** A message of the workspace, by its API. */
  async function send(more: object = {}): Promise<{ id: string }> {
    const headers = {
      Cookie: (await browser.page.context().cookies()).map(({ name, value }) => `${name}=${value}`).join('; '),
      'Sec-Fetch-Site': 'same-origin',
    };
    const body = { to: '+15551234567', channel: 'sms', content: { text: 'Hello' }, ...more };
    const answer = await app.call('POST', '/api/v1/messages/send', { body, headers });
    assert.equal(answer.status, 201, JSON.stringify(answer.body));
    return answer.body.data.message;
  }
  const move = (
    id: string,
    to: 'sent' | 'delivered' | 'failed',
    detail: 'awaiting_report' | 'delivered' | 'undeliverable',
    more: object = {},
  ) =>
    app.deps.db.transaction((transaction) =>
      recordStatuses(app.deps.db, transaction, {
        to,
        changes: [{ id, status_detail: detail, at: new Date(), provider: 'sandbox', ...more }],
      }),
    );

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
    await browser.fill('Recipient, reference or id', id);
    await browser.press('Search');
    await browser.page.getByRole('heading', { name: 'Timeline' }).waitFor();
    assert.equal(new URL(browser.page.url()).pathname, `/console/messages/${id}`);
  });

  it('older messages are a link away, with their own address', async () => {
    const { id } = await send({ reference: 'the oldest' });
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
    assert.ok(id.length > 0);
  });

  it('a message shows its timeline as it happens, its workflow, and can be cancelled and copied', async () => {
    const { id } = await send({ content: { text: 'Your code is 1234' }, scheduled_at: new Date(Date.now() + 3_600_000).toISOString() });
    await browser.open(`/messages/${id}`);
    await browser.see('Your code is 1234');
    await browser.see('Scheduled for a later time');
    const link = await browser.page.getByRole('link', { name: 'Workflow in Temporal' }).getAttribute('href');
    assert.match(link ?? '', /^https:\/\/temporal\.example\.com\/namespaces\/default\/workflows\/msg%3A[0-9a-f-]{36}$/);
    await browser.assertAccessible();
    await browser.press('Cancel');
    await browser.press('Back');
    await browser.press('Cancel');
    await browser.press('Cancel the message');
    await browser.see(/its credits are refunded\.$/);
    await browser.page.locator('.timeline').getByText('refunded', { exact: true }).waitFor();
    assert.equal(await browser.page.getByRole('button', { name: 'Cancel', exact: true }).count(), 0);
    await browser.follow('Send again as a copy');
    await browser.until('document.querySelector("textarea")?.value === "Your code is 1234"');
    assert.equal(await browser.page.getByLabel('To', { exact: true }).inputValue(), '+15551234567');
    await browser.press('Send');
    await browser.page.getByRole('heading', { name: 'Timeline' }).waitFor();
    await browser.see(/^Live$/);
    const copy = browser.page.url().split('/').at(-1) ?? '';
    assert.notEqual(copy, id);
    await move(copy, 'sent', 'awaiting_report');
    await browser.see(/Waiting for a delivery report from sandbox/);
    await move(copy, 'delivered', 'delivered');
    await browser.see('Delivered to the recipient');
  });

  it('the send form shows segments, encoding and price while it is written, and the faults of fields beside them', async () => {
    await browser.follow('Send');
    await browser.fill('To', '+15551234567');
    await browser.fill('Text', '€'.repeat(200));
    await browser.see('GSM-7');
    await browser.see('2 credits');
    await browser.fill('Text', 'ж'.repeat(71));
    await browser.see('UCS-2');
    await browser.fill('To', '0123');
    await browser.press('Send');
    await browser.see('Phone number must be in E.164 format');
    const input = browser.page.getByLabel('To', { exact: true });
    assert.equal(await input.getAttribute('aria-invalid'), 'true');
    await browser.until('document.activeElement?.name === "to"');
    await browser.assertAccessible();
    await browser.page.getByLabel('Channel', { exact: true }).selectOption('email');
    await browser.fill('To', 'ada@example.com');
    await browser.fill('Subject', 'Hello');
    await browser.press('Send');
    await browser.see('ada@example.com');
    await browser.see('Hello');
    await browser.see('99.9 credits');
  });

  it('too few credits are told, and nothing is sent', async () => {
    await rows(app.deps.db, 'UPDATE workspaces SET balance = 500 WHERE id = $1', [me.workspaceId]);
    await browser.open('/send?to=%2B15551234567');
    await browser.fill('Text', 'Hello');
    await browser.press('Send');
    await browser.see('Insufficient credits. You need 1 credits but have 0.5.');
    await browser.open('/messages');
    await browser.see('No messages yet');
  });

  it('texts of tenants and carriers are only ever text', async () => {
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

  it('says when it is not live, and comes back by itself', async () => {
    const refusal = { success: false, error: 'A workspace can have at most 20 open streams', code: 'limit_reached' };
    await browser.page.route('**/api/v1/stream**', (route) => route.fulfill({ status: 409, json: refusal }));
    await browser.open('/messages');
    await browser.see('Not live: connecting again soon');
    await browser.page.unroute('**/api/v1/stream**');
    await send({ reference: 'order-1' });
    await browser.see(/^Live$/);
    await browser.row('order-1').waitFor();
  });

  it('another workspace’s message is not found, and a failed request can be tried again', async () => {
    const { id } = await send();
    const other = await owner(app);
    await browser.leave();
    await browser.signIn({ email: other.email, password });
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
