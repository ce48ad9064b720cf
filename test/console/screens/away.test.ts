/** The console while the service is away, and when it is back. */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { useApi } from '../../api/use-api.js';
import { root } from '../../deploy/project.js';
import { useConsole } from '../use-console.js';

const assets = join(root, 'dist/console/site/assets');
const readAgain = 'The service cannot be reached.';

describe('the console while the service is away', () => {
  const app = useApi({ env: { TRUSTED_PROXIES: '127.0.0.1' } });
  const { browser, me } = useConsole(app);

  it('a list that could not be read is read again without a click', async () => {
    await browser.page.route('**/api/v1/api-keys', (route) => route.abort(), { times: 1 });
    await browser.open('/keys');
    await browser.see(readAgain);
    await browser.see('No API keys yet');
    assert.equal(await browser.page.getByText(readAgain).count(), 0);
  });

  it('a list that was refused for the rate limit is read again by itself', async () => {
    const refusal = { status: 429, headers: { 'Retry-After': '1' }, json: { success: false, error: 'Too many requests' } };
    await browser.page.route('**/api/v1/api-keys', (route) => route.fulfill(refusal), { times: 1 });
    await browser.open('/keys');
    await browser.see('Too many requests');
    await browser.see('No API keys yet');
    assert.equal(await browser.page.getByText('Too many requests').count(), 0);
  });

  it('the console that was refused for the rate limit is loaded after the time that the service says', async () => {
    const { page } = browser;
    await page.clock.install();
    const refusal = { status: 429, headers: { 'Retry-After': '41' }, json: { success: false, error: 'Too many requests' } };
    await page.route('**/api/v1/workspace', (route) => route.fulfill(refusal), { times: 1 });
    let reads = 0;
    page.on('request', (request) => (reads += request.url().endsWith('/api/v1/workspace') ? 1 : 0));
    await browser.open('/keys');
    await browser.see(/^The console tries again in \d+ seconds/);
    await page.clock.runFor(20_000);
    await browser.see(/^The console tries again in [12]\d seconds/);
    assert.equal(reads, 1);
    await page.clock.runFor(22_000);
    await browser.see('No API keys yet');
  });

  it('a refused list is not read again by itself, because the answer would be the same', async () => {
    let reads = 0;
    await browser.page.clock.install();
    await browser.page.route('**/api/v1/api-keys', (route) => {
      reads++;
      return route.fulfill({ status: 403, json: { success: false, error: 'Not allowed' } });
    });
    await browser.open('/keys');
    await browser.see('Not allowed');
    await browser.page.clock.runFor(120_000);
    await browser.page.evaluate(`fetch('/api/v1/api-keys').then(({ status }) => status)`); // takes the way of the console's requests
    assert.equal(reads, 2, 'the first one and the one of the test');
  });

  it('a screen whose part could not be loaded is there when the service is back', async () => {
    await browser.open('/keys');
    await browser.see('No API keys yet');
    await browser.page.route(/\/assets\/part-|\/live$/, (route) => route.abort());
    const noticed = browser.page.waitForEvent('requestfailed', (request) => request.url().endsWith('/live'));
    await browser.page.getByRole('link', { name: 'Suppressions', exact: true }).click();
    await browser.see(/This screen could not be loaded/);
    await noticed;
    await browser.page.unrouteAll({ behavior: 'wait' });
    await browser.see('No suppressions yet');
  });

  it('a read and a change that get no answer at all end with an error, and the read is repeated', async () => {
    const sooner = await browser.page.addInitScript(`{
      const timeout = AbortSignal.timeout.bind(AbortSignal);
      AbortSignal.timeout = (ms) => timeout(ms < 60_000 ? ms : 3_000);
    }`);
    const neverAnswer = () => browser.page.route('**/api/v1/api-keys', () => undefined, { times: 1 });
    try {
      await neverAnswer();
      await browser.open('/keys');
      await browser.see(readAgain);
      await browser.see('No API keys yet');
      await browser.follow('Create an API key');
      await neverAnswer();
      await browser.fill('Name', 'Shop');
      await browser.press('Create');
      await browser.see('The key may have been created. Look at the list before you try again.');
    } finally {
      await sooner.dispose();
    }
  });

  /** The file of the library for CSV files, which has this name in no other part. */
  const libraryPart = () => {
    const names = readdirSync(assets).filter((name) => name.endsWith('.js'));
    return names.find((name) => readFileSync(join(assets, name), 'utf8').includes('.RECORD_SEP='));
  };
  const csvPartLost = /^The part of the console for CSV files could not be loaded\. Reload the page\.$/;
  const updateService = () => browser.page.route(/\/assets\/part-/, (route) => route.fulfill({ status: 404, body: 'Not found' }));

  it('a CSV file is read although an update removed parts of the page since its screen was shown', async () => {
    const part = libraryPart();
    const arrived = browser.page.waitForEvent('requestfinished', (request) => request.url().endsWith(`/${part}`));
    await browser.open('/batches/new');
    await arrived;
    await updateService();
    await browser.choose('to,name\r\n+15551234567,Ada');
    await browser.see(': 1 row, 2 columns');
  });

  it('a screen for a CSV file whose part of the page is missing says so before a file is chosen', async () => {
    await browser.page.route(`**/${libraryPart()}`, (route) => route.abort());
    await browser.open('/batches/new');
    await browser.see(csvPartLost);
  });

  it('a download whose part of the page is missing says what to do, before it reads the list', async () => {
    let reads = 0;
    await me.call('POST', '/contacts', { phone: '+15551234567' });
    await browser.open('/contacts');
    await browser.page.getByRole('button', { name: 'Download as CSV' }).waitFor();
    await updateService();
    await browser.page.route('**/api/v1/contacts**', (route) => {
      reads += 1;
      return route.continue();
    });
    await browser.press('Download as CSV');
    await browser.see(csvPartLost);
    assert.equal(reads, 0);
  });

  it('a replay without an answer may have been started, and the list is read again', async () => {
    const { body } = await me.call('POST', '/webhooks', { url: 'https://example.com/', events: ['message.sent'] });
    await browser.open(`/webhooks/${body.data.webhook.id}`);
    await browser.page.route('**/replay', (route) => {
      const counted = { success: true, data: { replay: { matched: 2, until: new Date().toISOString() } } };
      return route.request().postDataJSON().dry_run === true ? route.fulfill({ json: counted }) : route.abort();
    });
    await browser.page.getByRole('region', { name: 'Replay' }).getByLabel('From').fill('2026-01-01T10:00');
    await browser.press('Count');
    const read = browser.page.waitForRequest('**/replays?**');
    await browser.press('Send 2 again');
    await browser.see('If you have confirmed the replay, it may have been started.');
    await read;
  });

  it('a change of the password without an answer says which one to try', async () => {
    await browser.page.route('**/auth/password', (route) => route.abort());
    await browser.open('/settings');
    const form = browser.page.locator('form').filter({ hasText: 'Change the password' });
    await form.getByLabel('Current password').fill('correct horse');
    await form.getByLabel('New password').fill('correct horse battery');
    await browser.press('Change the password');
    await browser.see('The password may have been changed. If you have to log in, try the new one first.');
  });
});
