/** Suppressions in a browser. */
import assert from 'node:assert/strict';
import { suppress } from '../../models/operations/contacts/suppress.js';
import { useApi } from '../api/use-api.js';
import { useConsole } from './use-console.js';

describe('suppressions in the console', function () {
  const app = useApi({ env: { TRUSTED_PROXIES: '127.0.0.1' } });
  const { browser, me } = useConsole(app, { forEachTest: true });

  const suppressions = async () => (await me.call('GET', '/suppressions')).body.data.suppressions;

  it('a recipient is suppressed, and gets messages again only after a question that names the consequence', async () => {
    await browser.follow('Suppressions');
    await browser.follow('Suppress a recipient');
    await browser.page.getByLabel('Channel', { exact: true }).selectOption({ label: 'SMS' });
    await browser.fill('Recipient', '12');
    await browser.press('Suppress');
    await browser.until('document.querySelector("[name=recipient]").getAttribute("aria-invalid") === "true"');
    await browser.assertAccessible();
    await browser.fill('Recipient', '+15551234567');
    await browser.page.getByLabel('Reason', { exact: true }).selectOption('bounce');
    await browser.fill('Until (optional)', '2099-01-01T00:00');
    await browser.press('Suppress');
    await browser.row('+15551234567').getByText('bounced, recorded by this workspace').waitFor();
    await browser.assertAccessible();
    const [{ channel, reason, expires_at }] = await suppressions();
    assert.deepEqual([channel, reason], ['sms', 'bounce']);
    assert.match(expires_at, /^20(98-12-31|99-01-01)T/);
    await browser.press('Remove +15551234567 on sms');
    await browser.see(/the next one bounces too and is charged/);
    await browser.press('Back');
    await browser.until('document.activeElement.textContent === "Remove"');
    assert.equal((await suppressions()).length, 1);
    await browser.press('Remove +15551234567 on sms');
    await browser.press('Remove the suppression');
    await browser.see('No suppressions yet');
    assert.equal(await browser.page.evaluate('document.activeElement !== document.body'), true, 'the focus is where the row was');
    assert.deepEqual(await suppressions(), []);
  });

  it('what the recipient asked for cannot be removed in the console, not even from a page that is out of date', async () => {
    await me.call('POST', '/suppressions', { channel: 'email', recipient: 'ada@example.com' });
    await browser.follow('Suppressions');
    await browser.press('Remove ada@example.com on email');
    const theirs = { workspace_id: me.workspaceId, channel: 'email', recipient: 'ada@example.com', reason: 'opt_out' } as const;
    await suppress(app.deps.db, [{ ...theirs, source: 'unsubscribe' }]);
    await browser.see(/unless another entry is left/);
    await browser.press('Remove the suppression');
    await browser.row('ada@example.com').getByText('Only the recipient or the operator can remove it').waitFor();
    assert.equal((await suppressions()).length, 1);
  });

  it('an older page of suppressions says that it is empty after its last row is removed', async () => {
    const theirs = { workspace_id: me.workspaceId, channel: 'sms', reason: 'manual', source: 'api' } as const;
    await suppress(
      app.deps.db,
      Array.from({ length: 51 }, (_, index) => ({ ...theirs, recipient: `+155512345${index + 10}` })),
    );
    await browser.follow('Suppressions');
    await browser.follow('Older');
    await browser.until('document.querySelectorAll("tbody tr").length === 1');
    await browser.press(/^Remove /);
    await browser.press('Remove the suppression');
    await browser.see('No row is left on this page.');
    await browser.follow('Newest');
    await browser.until('document.querySelectorAll("tbody tr").length === 50');
  });

  it('all suppressions that the filters select are in the downloaded file', async () => {
    await me.call('POST', '/suppressions', { channel: 'email', recipient: '=1+1@example.com', reason: 'bounce' });
    await me.call('POST', '/suppressions', { channel: 'sms', recipient: '+15551234567' });
    await browser.open('/suppressions?channel=email');
    await browser.row('=1+1@example.com').waitFor();
    const [header, first, ...others] = (await browser.download('Download as CSV')).trim().split('\r\n');
    assert.match(header ?? '', /recipient,channel,reason,source,message_id,created_at,expires_at$/);
    assert.match(first ?? '', /^"'=1\+1@example\.com",email,bounce,api,,20[^,]+Z,$/);
    assert.deepEqual(others, []);
  });

  it('filters of suppressions are in the address, and the back button restores them', async () => {
    await me.call('POST', '/suppressions', { channel: 'email', recipient: 'ada@example.com' });
    await me.call('POST', '/suppressions', { channel: 'sms', recipient: '+15551234567', reason: 'complaint' });
    await browser.open('/suppressions?recipient=%2B15551234567');
    await browser.row('+15551234567').waitFor();
    assert.equal(await browser.rowCount(), 1);
    await browser.follow('Clear');
    await browser.row('ada@example.com').waitFor();
    await browser.page.getByLabel('Reason', { exact: true }).selectOption('complaint');
    await browser.press('Search');
    await browser.row('ada@example.com').waitFor({ state: 'detached' });
    assert.equal(await browser.page.evaluate('document.activeElement.textContent'), 'Search', 'the focus stays');
    await browser.page.goBack();
    await browser.row('ada@example.com').waitFor();
  });

  it('a wrong filter of suppressions shows the error text of the API', async () => {
    await browser.open('/suppressions?channel=pigeon');
    await browser.see(/^Invalid channel/);
  });
});
