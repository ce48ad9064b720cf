/** Audit events in a browser. */
import assert from 'node:assert/strict';
import { useApi } from '../api/use-api.js';
import { xssTexts } from './console-browser.js';
import { useConsole } from './use-console.js';

describe('audit events in the console', () => {
  const app = useApi({ env: { TRUSTED_PROXIES: '127.0.0.1' } });
  const { browser, me } = useConsole(app, { forEachTest: true });

  it('audit events show what, who, from where and the details, also when names are code', async () => {
    const headers = { 'X-Forwarded-For': '198.51.100.7', 'User-Agent': xssTexts[2] };
    await me.call('POST', '/api-keys', { name: xssTexts[0], scopes: ['read_messages'] }, { headers });
    await browser.follow('Audit');
    const created = browser.row('api_key.created');
    await created.getByText(xssTexts[0]).first().waitFor();
    await created.getByText('198.51.100.7').first().waitFor();
    await created.getByText('Details').click();
    await created.getByText(xssTexts[2]).waitFor();
    await browser.assertAccessible();
  });

  it('filters of audit events are in the address, and the back button restores them', async () => {
    await me.call('POST', '/api-keys', { name: 'program', scopes: ['read_messages'] });
    await browser.follow('Audit');
    await browser.row('workspace.created').waitFor();
    await browser.follow('api_key.created');
    await browser.row('workspace.created').waitFor({ state: 'detached' });
    await browser.row('api_key.created').waitFor();
    assert.equal(await browser.rowCount(), 1);
    assert.equal(await browser.page.getByLabel('What', { exact: true }).inputValue(), 'api_key.created');
    await browser.page.goBack();
    await browser.row('workspace.created').waitFor();
    await browser.page.getByLabel('What', { exact: true }).selectOption('workspace.*');
    await browser.fill('From', '2020-01-01T00:00');
    await browser.press('Search');
    await browser.row('api_key.created').waitFor({ state: 'detached' });
    await browser.row('workspace.created').waitFor();
    await browser.fill('From', '2099-01-01T00:00');
    await browser.press('Search');
    await browser.see('No event matches.');
  });

  it('the period of audit events in the address is kept to the millisecond, and an equal search adds no entry to the history', async () => {
    await me.call('POST', '/api-keys', { name: 'program', scopes: ['read_messages'] });
    const start = '2020-01-01T00:00:30.250Z';
    const end = new Date(Date.now() + 86_400_000).toISOString().slice(0, 10);
    await browser.open(`/audit?start_date=${start}&end_date=${end}`);
    await browser.row('api_key.created').waitFor();
    await browser.page.getByLabel('What', { exact: true }).selectOption('api_key.*');
    await browser.press('Search');
    await browser.row('workspace.created').waitFor({ state: 'detached' });
    const { searchParams } = new URL(browser.page.url());
    assert.deepEqual([searchParams.get('start_date'), searchParams.get('end_date')], [start, end]);
    await me.call('POST', '/api-keys', { name: 'another program', scopes: ['read_messages'] });
    const entries = await browser.page.evaluate('history.length');
    await browser.press('Search');
    await browser.row('another program').waitFor();
    assert.equal(await browser.page.evaluate('history.length'), entries);
  });

  it('a wrong actor of audit events shows the error text of the API', async () => {
    await browser.open('/audit?actor=nobody');
    await browser.see(/^Invalid actor\. Must be one of/);
  });
});
