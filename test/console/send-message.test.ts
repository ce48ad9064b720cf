/** One message in a browser: its form, its timeline, its end and its copy. */
import assert from 'node:assert/strict';
import { rows } from '../support/database.js';
import { useMessages } from './use-messages.js';

describe('a message in the console', () => {
  const { app, browser, me, send, move } = useMessages();

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
    await browser.see(/Its credits are refunded\.$/);
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
    await rows(app.deps.db, 'UPDATE workspaces SET balance = 10000 WHERE id = $1', [me.workspaceId]); // a program spends meanwhile
    await browser.fill('To', '+15551234567');
    await browser.fill('Text', '€'.repeat(200));
    await browser.see('GSM-7');
    await browser.see('2 credits');
    await browser.fill('Text', 'ж'.repeat(71));
    await browser.see('UCS-2');
    await browser.page.getByText('9 credits', { exact: true }).waitFor();
    await browser.fill('Text', 'مرحبا');
    await browser.until('[...document.querySelectorAll(".preview .text, textarea")].every((text) => text.matches(":dir(rtl)"))');
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
    await browser.see('9.9 credits');
  });

  it('a phone number is sent to as people write it, with spaces and brackets', async () => {
    await browser.open('/send');
    await browser.fill('To', ' +1 (555) 123-4567 ');
    await browser.fill('Text', 'Hello');
    await browser.page.getByRole('complementary').getByText('1 credit', { exact: true }).waitFor();
    await browser.press('Send');
    await browser.page.getByRole('heading', { name: 'Timeline' }).waitFor();
    await browser.see('+15551234567');
  });

  it('too few credits are shown, and nothing is sent', async () => {
    await rows(app.deps.db, 'UPDATE workspaces SET balance = 500 WHERE id = $1', [me.workspaceId]);
    await browser.open('/send?to=%2B15551234567');
    await browser.fill('Text', 'Hello');
    await browser.press('Send');
    await browser.see('Insufficient credits. You need 1 credits but have 0.5.');
    await browser.open('/messages');
    await browser.see('No messages yet');
  });

  it('a time that has passed is refused in the form, and nothing is sent', async () => {
    await browser.open('/send?to=%2B15551234567');
    await browser.fill('Text', 'Hello');
    await browser.fill('Send at (optional)', '2026-01-01T10:00');
    await browser.press('Send');
    await browser.see('This time has passed. Choose a later one, or none to send at once');
    assert.equal(await browser.page.getByLabel('Send at (optional)').getAttribute('aria-invalid'), 'true');
    await browser.open('/messages');
    await browser.see('No messages yet');
  });

  it('a time that has passed for the service is refused where the clock of the device is late', async () => {
    await browser.open('/send?to=%2B15551234567');
    await browser.page.getByLabel('Text', { exact: true }).waitFor();
    const anHourAgo: string = await browser.page.evaluate(`{
      const now = Date.now();
      Date.now = () => now - 2 * 3_600_000;
      new Date(now - 3_600_000 - new Date(now).getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
    }`);
    await browser.fill('Text', 'Hello');
    await browser.page.getByRole('complementary').getByText('1 credit', { exact: true }).waitFor();
    await browser.fill('Send at (optional)', anHourAgo);
    await browser.press('Send');
    await browser.see('This time has passed. The clock of this device is late. Choose a later one, or none to send at once');
  });
});
