/** Batches in a browser, with a whole service: from the file to the delivered batch, and what stops one on the way. */
import assert from 'node:assert/strict';
import { restClient, type Account, type Json, until } from '../../support/client.js';
import { type Service, startService } from '../../support/service.js';
import { type ConsoleBrowser, startConsole, xssTexts } from '../console-browser.js';
import { holdAnswers } from '../hold-answers.js';
import { batchShown, csv, fact, numbered, phone, quoted } from './batch-form.js';

/** 1,000 rows of three columns, of which ten have a fault. */
function fileWithFaults(): string {
  const faults = [
    '15551234567',
    'nobody',
    '+12345678901234567',
    '',
    '+0999999',
    phone(5),
    phone(6),
    phone(7),
    `${phone(8)},Ada,1,2,3`,
    '=1+1',
  ];
  return csv(
    `Phone,First name,${quoted(xssTexts[1])}`,
    `${phone(0)},${quoted(xssTexts[0])},x`,
    ...numbered(989, (index) => `${phone(1000 + index)},Person ${index},x`),
    ...faults.map(rowOf),
    '',
  );
}

/** A fault has its own row, is a recipient with its name, or a recipient whose name is missing. */
function rowOf(fault: string): string {
  if (/^\+1555\d+$/.test(fault)) return `${fault},,x`;
  return fault.includes(',') ? fault : `${fault},Ada,x`;
}

describe('batches in the console', () => {
  let service: Service;
  let browser: ConsoleBrowser;
  let account: Account;
  before(async function () {
    service = await startService({ isHere: true, env: { SIGNUP_CREDITS: '1000', SANDBOX_DELAY_MS: '1' } });
    browser = await startConsole(this, service.url);
  });
  beforeEach(async () => {
    account = await restClient(service.url).signUp();
    await browser.enter(account);
  });
  after(async () => {
    await browser?.close();
    await service?.stop();
  });
  afterEach(() => browser.page.unrouteAll({ behavior: 'ignoreErrors' }));
  afterEach(() => browser.assertClean());

  const get = async (path: string): Promise<Json> =>
    (await restClient(service.url).call('GET', `/api/v1${path}`, { headers: { 'X-API-Key': account.apiKey } })).body.data;
  const batches = async (): Promise<Json[]> => (await get('/messages/bulk')).batches;
  /** @returns how many clicks there were since */
  const countClicks = async () => {
    let clicks = 0;
    await browser.page.exposeFunction('countClick', () => (clicks += 1));
    await browser.page.evaluate('addEventListener("click", () => window.countClick(), true)');
    return () => clicks;
  };
  /** From the first screen to the chosen file, as people do it. */
  const chooseByClicks = async (file: string) => {
    await browser.follow('Send');
    await browser.follow('Create a batch');
    const chooser = browser.page.waitForEvent('filechooser');
    await browser.page.getByLabel('CSV file').click();
    await (await chooser).setFiles({ name: 'people.csv', mimeType: 'text/csv', buffer: Buffer.from(file) });
  };

  it('a file of 1,000 rows with 10 invalid ones is sent in eight clicks, and all others are seen delivered', async () => {
    const clicks = await countClicks();
    await chooseByClicks(fileWithFaults());
    await browser.see(': 1,000 rows, 3 columns');
    await browser.fill('Text', 'Hello {{ first_name }}!');
    await browser.press('Preview');
    await browser.page.getByRole('heading', { name: 'Preview' }).waitFor();
    assert.equal(await fact(browser, 'Invalid rows').innerText(), '10');
    assert.equal(await fact(browser, 'Price').innerText(), '990 credits');
    await browser.see('Missing required field: first_name');
    await browser.see(/^It has more than 3 cells/);
    await browser.assertAccessible();
    const saved = (await browser.download('Download the invalid rows (10)')).split('\r\n');
    assert.equal(saved.length, 12);
    assert.match(saved[6] ?? '', /^\+15551000005,,x,997,Missing required field: first_name$/);
    assert.match(saved[10] ?? '', /^"'=1\+1",Ada,x,1001,Phone number must be in E\.164 format$/);
    await browser.press('Skip the 10 invalid rows, send 990 messages for 990 credits');
    await batchShown(browser);
    await browser.page.getByRole('link', { name: '990 delivered' }).waitFor();
    await browser.see('✓ completed');
    await browser.assertAccessible();
    assert.ok(clicks() <= 8, `${clicks()} clicks`);
    const [batch] = await batches();
    assert.deepEqual([batch.total, batch.accepted, batch.credits_used, batch.counts.delivered], [990, 990, 990, 990]);
    await browser.page.getByRole('link', { name: '990 delivered' }).click();
    await browser.see('Of the batch');
    await browser.follow('Batches');
    await browser.see('990 of 990');
    await browser.assertAccessible();
  });

  it('a pause is shown even if a read that began before it is answered later, and a cancel needs no read', async () => {
    await browser.open('/batches/new');
    await browser.choose(csv('to', ...numbered(20, phone)));
    await browser.fill('Text', 'Hello');
    const rate = browser.page.getByLabel('Messages per second (optional)', { exact: true });
    assert.match((await rate.getAttribute('title')) ?? '', /0\.5/);
    await rate.fill('0.5');
    await browser.press('Preview');
    await browser.press('Send 20 messages for 20 credits');
    await batchShown(browser);
    await browser.see(/about \d+ s left$/);
    assert.equal(await browser.page.getByRole('status').filter({ hasText: 'left' }).count(), 0);
    const release = await holdAnswers(browser, '**/messages/bulk/*');
    await browser.page.waitForRequest(/\/messages\/bulk\/[\w-]+$/);
    await browser.press('Pause');
    await browser.see('‖ paused');
    release();
    await browser.page.unrouteAll({ behavior: 'wait' });
    await browser.page.evaluate('new Promise((resolve) => setTimeout(resolve))');
    assert.equal(await browser.page.getByText('‖ paused').count(), 1);
    await browser.page.route(/\/messages\/bulk\/[\w-]+$|\/workspace$/, (route) => route.abort());
    await browser.press('Cancel');
    await browser.press('Cancel the batch');
    await browser.see(/^Batch cancelled\. Refunded: \d+ credits?\.$/);
    assert.match(String(await browser.page.evaluate('document.activeElement.textContent')), /^Batch cancelled/);
  });

  it('a slow batch is paused, goes on, and is cancelled with its refund', async () => {
    await browser.open('/batches/new');
    await browser.choose(csv('to,reference', ...numbered(20, (index) => `${phone(index)},order-${index}`)));
    await browser.fill('Text', 'Hello');
    await browser.fill('Messages per second (optional)', '0.5');
    await browser.press('Preview');
    await browser.press('Send 20 messages for 20 credits');
    await browser.see('at most 0.5 per second');
    await browser.press('Pause');
    await browser.see('‖ paused');
    await browser.press('Resume');
    await browser.see('➤ sending');
    await browser.press('Cancel');
    await browser.press('Cancel the batch');
    await browser.see(/^Batch cancelled\. Refunded: \d+ credits?\.$/);
    await browser.see('✕ cancelled');
    await browser.assertAccessible();
    const [batch] = await batches();
    await browser.see(`Batch cancelled. Refunded: ${20 - batch.credits_used} credit`);
    await until(
      async () => (await browser.page.locator('.balance').innerText()) === `${(1000 - batch.credits_used).toLocaleString()} credits`,
      'the balance',
    );
    const { messages } = await get('/messages?reference=order-7');
    assert.deepEqual(
      messages.map((message: Json) => message.to),
      [phone(7)],
    );
  });
});
