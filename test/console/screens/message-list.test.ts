/** What the list of messages and the page of a message say and lead to, in a browser. */
import assert from 'node:assert/strict';
import { inZone, useMessages } from '../use-messages.js';

describe('states, links and searches of messages in the console', () => {
  const { browser, me, send, move } = useMessages();

  it('a scheduled message shows its time in the list, and a failed one its reason, also when it fails later', async () => {
    const at = new Date(Date.now() + 3 * 86_400_000).toISOString();
    await send({ reference: 'later', scheduled_at: at });
    const { id } = await send({ reference: 'lost' });
    await browser.open('/messages');
    await browser.row('later').getByText('scheduled for').locator(`time[datetime="${at}"]`).waitFor();
    await browser.see(/^Live$/);
    await move(id, 'failed', 'undeliverable', { error_code: 'undeliverable', error_message: 'Message was undeliverable' });
    await browser.row('lost').getByText('Message was undeliverable').waitFor();
    await browser.assertAccessible();
    await browser.page.reload();
    await browser.row('lost').getByText('Message was undeliverable').waitFor();
  });

  it('a time without a zone in the address is a time in UTC, and the filter shows it in the zone of the user', async () => {
    await inZone(browser, 'America/New_York', async () => {
      await send({ reference: 'order-1' });
      await browser.open('/messages?start_date=2026-01-15T12:00');
      await browser.row('order-1').waitFor();
      assert.equal(await browser.page.getByLabel('From', { exact: true }).inputValue(), '2026-01-15T07:00');
    });
  });

  it('a number that is searched without its plus sign leads to the search for the recipient', async () => {
    await send({ reference: 'order-1' });
    await browser.open('/messages?channel=sms');
    await browser.row('order-1').waitFor();
    for (const number of ['15551234567', '001 555 123 4567']) {
      await browser.fill('Recipient, reference or id', number);
      await browser.press('Search');
      await browser.see(`Searched for the reference ${number}.`);
      assert.equal(await browser.page.getByRole('button', { name: 'Download as CSV' }).count(), 0);
      await browser.follow('Search for the recipient +15551234567');
      await browser.row('order-1').waitFor();
      assert.equal(new URL(browser.page.url()).searchParams.get('channel'), 'sms');
    }
  });

  it('a suppressed message leads to its suppression, to the other messages of its recipient, and to all messages', async () => {
    await me.call('POST', '/suppressions', { channel: 'sms', recipient: '+15551234567', reason: 'manual' });
    const { id } = await send();
    await send({ to: '+15557654321', reference: 'order-2' });
    await move(id, 'failed', 'undeliverable', { error_code: 'suppressed', error_message: 'Recipient is suppressed' });
    await browser.open(`/messages/${id}`);
    await browser.follow('Show the suppression');
    await browser.row('+15551234567').waitFor();
    await browser.page.goBack();
    await browser.follow('All messages to this recipient');
    await browser.row('+15551234567').waitFor();
    assert.equal(await browser.row('order-2').count(), 0);
    await browser.open('/messages/00000000-0000-7000-8000-000000000000');
    await browser.see('Message not found');
    await browser.follow('All messages');
    await browser.row('order-2').waitFor();
  });

  it('the id of a message and its recipient are copied with a button', async () => {
    const { id } = await send();
    await browser.page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await browser.open(`/messages/${id}`);
    for (const [button, value] of [
      ['Copy the id', id],
      ['Copy the recipient', '+15551234567'],
    ] as const) {
      await browser.press(button);
      await browser.until(`navigator.clipboard.readText().then((text) => text === '${value}')`);
    }
  });

  it('an id that the browser does not copy, as without TLS, is selected by hand', async () => {
    const { id } = await send();
    const noClipboard = await browser.page.addInitScript(`Object.defineProperty(navigator, 'clipboard', { value: undefined })`);
    try {
      await browser.open(`/messages/${id}`);
      await browser.press('Copy the id');
      await browser.see('Select the text to copy it');
    } finally {
      await noClipboard.dispose();
    }
  });

  it('the row of a delivery leads to its message', async () => {
    const { webhook } = (await me.call('POST', '/webhooks', { url: 'https://example.com/hook', events: ['message.sent'] })).body.data;
    const { id } = await send();
    await move(id, 'sent', 'awaiting_report');
    await browser.open(`/webhooks/${webhook.id}`);
    await browser.follow(`…${id.slice(-8)}`);
    await browser.page.getByRole('heading', { name: 'Timeline' }).waitFor();
    assert.ok(browser.page.url().endsWith(`/messages/${id}`));
  });

  it('a contact leads back to the list with the tag that it was found by', async () => {
    await me.call('POST', '/contacts', { phone: '+15551234567', name: 'Ada', tags: ['vip'] });
    await browser.open('/contacts?tag=vip');
    await browser.follow('Ada');
    await browser.fill('Phone number', '+1 (555) 123-45.68');
    await browser.press('Save');
    await browser.see('Contact saved.');
    await browser.follow('Back');
    await browser.row('+15551234568').waitFor();
    assert.equal(new URL(browser.page.url()).search, '?tag=vip');
  });
});
