/** A CSV file in a browser, with a whole service: from the file to the delivered batch, and what can go wrong on the way. */
import assert from 'node:assert/strict';
import { restClient, type Account, type Json, until } from '../support/client.js';
import { type Service, startService } from '../support/service.js';
import { batchShown, csv, fact, numbered, phone, preview } from './batch-form.js';
import { type ConsoleBrowser, startConsole, xssTexts } from './console-browser.js';
import { holdAnswers } from './hold-answers.js';

const quoted = (text: string) => `"${text.replaceAll('"', '""')}"`;

describe('batches in the console', function () {
  this.timeout(90_000);
  let service: Service;
  let browser: ConsoleBrowser;
  let account: Account;
  before(async function () {
    service = await startService({ env: { SIGNUP_CREDITS: '1000', SANDBOX_DELAY_MS: '1' } });
    browser = await startConsole(this, service.url);
  });
  beforeEach(async () => {
    account = await restClient(service.url).signUp();
    await browser.leave();
    await browser.signIn(account);
  });
  after(async () => {
    await browser?.close();
    await service?.stop();
  });
  afterEach(() => browser.page.unrouteAll({ behavior: 'ignoreErrors' }));
  afterEach(() => browser.assertClean());

  const api = async (method: string, path: string, body?: unknown): Promise<Json> =>
    (
      await restClient(service.url).call(method, `/api/v1${path}`, {
        headers: { 'X-API-Key': account.apiKey },
        ...(body === undefined ? {} : { body }),
      })
    ).body.data;
  const batches = async (): Promise<Json[]> => (await api('GET', '/messages/bulk')).batches;

  it('a file of 1,000 rows with 10 faulty ones is sent in eight clicks, and all others are seen delivered', async () => {
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
    const file = csv(
      `Phone,First name,${quoted(xssTexts[1])}`,
      `${phone(0)},${quoted(xssTexts[0])},x`,
      ...numbered(989, (index) => `${phone(1000 + index)},Person ${index},x`),
      ...faults.map((fault) => (/^\+1555\d+$/.test(fault) ? `${fault},,x` : fault.includes(',') ? fault : `${fault},Ada,x`)),
      '',
    );
    let clicks = 0;
    await browser.page.exposeFunction('countClick', () => (clicks += 1));
    await browser.page.evaluate('addEventListener("click", () => window.countClick(), true)');
    await browser.follow('Send');
    await browser.follow('Send to many: CSV file');
    const chooser = browser.page.waitForEvent('filechooser');
    await browser.page.getByLabel('CSV file').click();
    await (await chooser).setFiles({ name: 'people.csv', mimeType: 'text/csv', buffer: Buffer.from(file) });
    await browser.see(': 1,000 rows, 3 columns');
    await browser.fill('Text', 'Hello {{ first_name }}!');
    await browser.press('Preview');
    await browser.page.getByRole('heading', { name: 'Preview' }).waitFor();
    assert.equal(await fact(browser, 'Faulty rows').innerText(), '10');
    assert.equal(await fact(browser, 'Price').innerText(), '990 credits');
    await browser.see('Missing required field: first_name');
    await browser.see(/^It has more than 3 cells/);
    await browser.assertAccessible();
    const saved = (await browser.download('Download the faulty rows (10)')).split('\r\n');
    assert.equal(saved.length, 12);
    assert.match(saved[6] ?? '', /^\+15551000005,,x,997,Missing required field: first_name$/);
    assert.match(saved[10] ?? '', /^"'=1\+1",Ada,x,1001,Phone number must be in E\.164 format$/);
    await browser.press('Leave out the 10 faulty rows, send 990 messages for 990 credits');
    await batchShown(browser);
    await browser.page.getByRole('link', { name: '990 delivered' }).waitFor();
    await browser.see('✓ completed');
    await browser.assertAccessible();
    assert.ok(clicks <= 8, `${clicks} clicks`);
    const [batch] = await batches();
    assert.deepEqual([batch.total, batch.accepted, batch.credits_used, batch.counts.delivered], [990, 990, 990, 990]);
    await browser.page.getByRole('link', { name: '990 delivered' }).click();
    await browser.see('Of the batch');
    await browser.follow('Batches');
    await browser.see('990 of 990');
    await browser.assertAccessible();
  });

  it('a column that is not chosen is told before any row, and nothing is asked of the service', async () => {
    let previews = 0;
    await browser.page.route('**/messages/preview', (route) => {
      previews += 1;
      return route.continue();
    });
    await browser.open('/batches/new');
    await browser.choose(csv('colour;size', 'red;1', 'blue;2'));
    await browser.fill('Text', 'Hello {{ name }}, {{ size | any size }}');
    await browser.press('Preview');
    await browser.see('Choose the column with the recipients');
    await browser.see('No column fills in {{ name }}: choose one, or give it a fallback');
    await browser.assertAccessible();
    assert.equal(previews, 0);
    await browser.page.getByLabel('Recipients are in').selectOption({ label: 'colour: red' });
    await browser.page.getByLabel('{{ name }} is in').selectOption({ label: 'colour: red' });
    await browser.press('Preview');
    await browser.see('No row can be sent.');
    assert.equal(await browser.page.getByText('Phone number must be in E.164 format').count(), 2);
    assert.equal(previews, 1);
  });

  it('the text gets its placeholders by buttons, is previewed as it is, and a change needs another look', async () => {
    await browser.open('/batches/new');
    const file = csv(
      'E-mail\tFirst name\tNote',
      `ada@example.com\tAda\t${quoted(xssTexts[3])}`,
      'ada@example.com\tAda\t',
      'bob@example.com\tBob\t',
    );
    await browser.choose(`\uFEFF${file}`);
    assert.equal(await browser.page.getByLabel('Channel').inputValue(), 'email');
    await browser.fill('Subject', 'News for {{ First_name }}');
    await browser.fill('Text', 'Note: ');
    await browser.press('{{ Note }}');
    await browser.fill('Text', 'Note: {{ Note | none }}');
    await browser.press('Preview');
    await browser.see(`Note: ${xssTexts[3]}`);
    await browser.see('Note: none');
    assert.equal(await fact(browser, 'Duplicates, sent once').innerText(), '1');
    assert.equal(await fact(browser, 'Price').innerText(), '0.2 credits');
    await browser.fill('Text', 'Changed');
    assert.equal(await browser.page.getByRole('heading', { name: 'Preview' }).count(), 0);
    await browser.page.getByLabel('Send more than once to a recipient who is there more than once').check();
    await browser.press('Preview');
    await browser.see('Send 3 messages for 0.3 credits');
  });

  it('402 is told where the batch is sent, and nothing is sent', async () => {
    const text = 'x'.repeat(1600);
    await preview(browser, csv('to', ...numbered(101, phone)), text);
    assert.equal(await fact(browser, 'Left after it').innerText(), 'not enough credits');
    await browser.press('Send 101 messages for 1,010 credits');
    await browser.see('Insufficient credits. You need 1010 credits but have 1000.');
    await browser.assertAccessible();
    assert.deepEqual(await batches(), []);
    await preview(browser, csv('to', ...numbered(101, phone)), text);
    await browser.press('Send 101 messages for 1,010 credits');
    await browser.see('Insufficient credits. You need 1010 credits but have 1000.');
  });

  it('a file that cannot be read without loss is refused, with what to do', async () => {
    await browser.open('/batches/new');
    const refused: readonly (readonly [string | Buffer, string | RegExp])[] = [
      [Buffer.from('to,name\n+15551234567,Zoë', 'latin1'), 'The file is not a CSV file in UTF-8.'],
      [csv('+15551234567,Ada', '+15551234568,Bob'), 'The first row must have the names of the columns, but has "+15551234567".'],
      [csv('to,name', '+15551234567,"Ada'), 'The quotation marks in row 2 do not match.'],
      ['to,name\n\n,\n', 'The file has no rows below the names of its columns.'],
      [Buffer.from('to,name\n+15551234567,Ada', 'utf16le'), 'The file is not a CSV file in UTF-8.'],
      ['', 'The first row is empty.'],
      [csv('to', ...numbered(10_001, phone)), 'The file has more than 10,000 rows.'],
    ];
    for (const [content, text] of refused) {
      await browser.choose(content);
      await browser.see(text);
      assert.equal(await browser.page.getByLabel('Text', { exact: true }).count(), 0);
    }
    await browser.assertAccessible();
  });

  it('10,000 rows of a dropped file are checked at once, and fifty of them are drawn', async () => {
    await browser.open('/batches/new');
    const file = JSON.stringify(csv('to,name', ...numbered(10_000, (index) => `${phone(index)},Person ${index}`)));
    await browser.page.getByLabel('CSV file').waitFor();
    await browser.page.evaluate(`{
      const dataTransfer = new DataTransfer();
      dataTransfer.items.add(new File([${file}], 'dropped.csv', { type: 'text/csv' }));
      document.querySelector('.drop').dispatchEvent(new DragEvent('drop', { dataTransfer, bubbles: true, cancelable: true }));
    }`);
    await browser.see(': 10,000 rows, 2 columns');
    await browser.fill('Text', 'Hello {{ name }}');
    await browser.press('Preview');
    await browser.see('1 to 50 of 10,000');
    assert.equal(await browser.rowCount(), 50);
    await browser.press('Next');
    await browser.see('Hello Person 50');
    assert.equal(await browser.rowCount(), 50);
    await browser.press('Previous');
    await browser.see('Hello Person 49');
  });

  it('a pause is shown even if a read that began before it is answered later, and a cancel needs no read', async () => {
    await browser.open('/batches/new');
    await browser.choose(csv('to', ...numbered(20, phone)));
    await browser.fill('Text', 'Hello');
    await browser.fill('Messages a second (optional)', '0.5');
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
    await browser.see(/^Cancelled\. Refunded: \d+ credits?\.$/);
    assert.match(String(await browser.page.evaluate('document.activeElement.textContent')), /^Cancelled/);
  });

  it('a slow batch is paused, goes on, and is cancelled with its refund', async () => {
    await browser.open('/batches/new');
    await browser.choose(csv('to,reference', ...numbered(20, (index) => `${phone(index)},order-${index}`)));
    await browser.fill('Text', 'Hello');
    await browser.fill('Messages a second (optional)', '0.5');
    await browser.press('Preview');
    await browser.press('Send 20 messages for 20 credits');
    await browser.see('at most 0.5 a second');
    await browser.press('Pause');
    await browser.see('‖ paused');
    await browser.press('Resume');
    await browser.see('➤ sending');
    await browser.press('Cancel');
    await browser.press('Cancel the batch');
    await browser.see(/^Cancelled\. Refunded: \d+ credits?\.$/);
    await browser.see('✕ cancelled');
    await browser.assertAccessible();
    const [batch] = await batches();
    await browser.see(`Cancelled. Refunded: ${20 - batch.credits_used} credit`);
    await until(
      async () => (await browser.page.locator('.balance').innerText()) === `${(1000 - batch.credits_used).toLocaleString()} credits`,
      'the balance',
    );
    const { messages } = await api('GET', '/messages?reference=order-7');
    assert.deepEqual(
      messages.map((message: Json) => message.to),
      [phone(7)],
    );
  });
});
