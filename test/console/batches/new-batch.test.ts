/** The form of a batch in a browser: what is sent is what was shown, once, also when answers are lost. */
import assert from 'node:assert/strict';
import { useApi } from '../../api/use-api.js';
import { until } from '../../support/client.js';
import { rows } from '../../support/database.js';
import { xssTexts } from '../console-browser.js';
import { holdAnswers, loseAnswers } from '../hold-answers.js';
import { useConsole } from '../use-console.js';
import { batchShown, csv, fact, numbered, phone, preview, quoted } from './batch-form.js';

describe('a new batch in the console', function () {
  const app = useApi({ env: { TRUSTED_PROXIES: '127.0.0.1', SIGNUP_CREDITS: '1000' } });
  const { browser, me } = useConsole(app, { forEachTest: true });

  const batches = async (): Promise<number> =>
    (await rows(app.deps.db, 'SELECT id FROM batches WHERE workspace_id = $1', [me.workspaceId])).length;

  it('the text of a batch gets placeholders by buttons, and needs another preview after each change', async () => {
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
    await browser.page.getByLabel('Allow duplicate recipients').check();
    await browser.press('Preview');
    await browser.see('Send 3 messages for 0.3 credits');
  });

  it('probable mistakes are shown before the batch is sent', async () => {
    const body = { channel: 'sms', recipient: phone(1) };
    await app.call('POST', '/api/v1/suppressions', { jwt: me.jwt, body });
    await preview(browser, csv('to', ...numbered(3, phone)), 'Hello');
    await browser.see('1 recipient is suppressed on sms: its message would fail and be refunded');
    await browser.see('Send 3 messages for 3 credits');
    await browser.assertAccessible();
  });

  it('too few credits are shown where the batch is sent, and nothing is sent', async () => {
    const text = 'x'.repeat(1600);
    await preview(browser, csv('to', ...numbered(101, phone)), text);
    assert.equal(await fact(browser, 'Balance after sending').innerText(), 'not enough credits');
    await browser.press('Send 101 messages for 1,010 credits');
    await browser.see('Insufficient credits. You need 1010 credits but have 1000.');
    await browser.assertAccessible();
    assert.equal(await batches(), 0);
    await preview(browser, csv('to', ...numbered(101, phone)), text);
    await browser.press('Send 101 messages for 1,010 credits');
    await browser.see('Insufficient credits. You need 1010 credits but have 1000.');
  });

  it('a batch whose answers were lost is sent once, even after the page was loaded again', async () => {
    const file = csv('to,name', ...numbered(3, (index) => `${phone(index)},Ada`));
    await preview(browser, file, 'Hello {{ name }}');
    await loseAnswers(browser, '**/messages/bulk');
    await browser.press('Send 3 messages for 3 credits');
    await browser.see('It is not known whether the batch was accepted.');
    await browser.press('Send 3 messages for 3 credits');
    await browser.page.locator('main form button[aria-disabled=true]').waitFor({ state: 'detached' });
    await browser.page.unroute('**/messages/bulk');
    await preview(browser, csv('to', phone(7)), 'Another one');
    await browser.press('Send 1 message for 1 credit');
    await batchShown(browser);
    await preview(browser, file, 'Hello {{ name }}');
    await browser.press('Send 3 messages for 3 credits');
    await browser.see(/^A batch with exactly this content was sent on .+, and no response came\./);
    await browser.assertAccessible();
    assert.equal(await batches(), 2);
    await browser.press('The same batch: send it once');
    await batchShown(browser);
    await browser.see('The batch had been accepted before. Nothing was sent again.');
    assert.equal(await batches(), 2);
    await preview(browser, file, 'Hello {{ name }}');
    await browser.press('Send 3 messages for 3 credits');
    await batchShown(browser);
    assert.equal(await batches(), 3, 'a batch that was answered can be sent again');
  });

  it('a batch with the content of one without an answer is sent as a new one where the user says so', async () => {
    const file = csv('to', phone(1));
    await preview(browser, file, 'Hello');
    await loseAnswers(browser, '**/messages/bulk');
    await browser.press('Send 1 message for 1 credit');
    await browser.see('It is not known whether the batch was accepted.');
    await browser.page.unroute('**/messages/bulk');
    await preview(browser, file, 'Hello');
    await browser.press('Send 1 message for 1 credit');
    await browser.press('A new batch: send it as well');
    await batchShown(browser);
    assert.equal(await batches(), 2);
  });

  it('the credits left after a batch follow from the balance at the moment of the preview', async () => {
    await browser.page.route('**/api/v1/workspace', async (route) => {
      const response = await route.fetch();
      const answer = (await response.json()) as { data: { workspace: object } };
      Object.assign(answer.data.workspace, { credits_balance: 7 });
      await route.fulfill({ response, json: answer });
    });
    await browser.open('/batches/new');
    await browser.see('7 credits');
    await browser.page.unrouteAll({ behavior: 'wait' });
    await browser.choose(csv('to', phone(1)));
    await browser.fill('Text', 'Hello');
    await browser.press('Preview');
    await browser.page.getByRole('heading', { name: 'Preview' }).waitFor();
    await until(async () => (await fact(browser, 'Balance after sending').innerText()) !== '6 credits', 'the balance of this moment');
  });

  it('the form is locked while a batch is sent, and its answer moves no user away from another screen', async () => {
    const release = await holdAnswers(browser, '**/messages/bulk');
    await preview(browser, csv('to', phone(1)), 'Hello');
    await browser.press('Send 1 message for 1 credit');
    await browser.page.getByLabel('CSV file').and(browser.page.locator(':disabled')).waitFor();
    assert.equal(await browser.page.locator('[inert]').getByLabel('Text', { exact: true }).count(), 1);
    await browser.page.getByRole('heading', { name: 'Preview' }).waitFor();
    await browser.follow('Contacts');
    await browser.page.getByRole('heading', { name: 'Contacts' }).waitFor();
    release();
    await browser.see('Batch accepted.');
    assert.equal(await browser.page.getByRole('heading', { name: 'Contacts' }).count(), 1);
    assert.equal(await batches(), 1);
  });

  it('a time that has passed is refused, in the form and when the batch is sent', async () => {
    await browser.open('/batches/new');
    await browser.choose(csv('to', phone(1)));
    await browser.fill('Text', 'Hello');
    await browser.fill('Send at (optional)', '2026-01-01T10:00');
    await browser.press('Preview');
    await browser.see('This time has passed. Choose a later one, or none to send at once');
    await browser.fill('Send at (optional)', '');
    await browser.press('Preview');
    await browser.page.getByRole('heading', { name: 'Preview' }).waitFor();
    assert.equal(await fact(browser, 'Sent').innerText(), 'now');
    const later = new Date(Date.now() + 7 * 86_400_000);
    await browser.fill('Send at (optional)', `${later.toISOString().slice(0, 10)}T10:00`);
    await browser.press('Preview');
    const when = / [A-Z][a-z]{2} \d+, \d{4}.+10:00:00.AM \S+$/;
    await browser.page.getByRole('button', { name: new RegExp(`^Send 1 message for 1 credit on${when.source}`) }).waitFor();
    assert.match(await fact(browser, 'Sent').innerText(), when);
    await browser.page.evaluate(`Date.now = () => ${later.getTime() + 2 * 86_400_000}`);
    await browser.press(/^Send 1 message/);
    await browser.page.getByRole('alert').getByText('This time has passed.').waitFor();
    assert.equal(await batches(), 0);
  });

  it('the numbers of a batch are read again by a button, because no event says what was read', async () => {
    await preview(browser, csv('to', phone(1)), 'Hello');
    await browser.press('Send 1 message for 1 credit');
    await batchShown(browser);
    await browser.page.getByRole('link', { name: '1 queued' }).waitFor();
    await rows(app.deps.db, `UPDATE batches SET rate = 0.5 WHERE workspace_id = $1`, [me.workspaceId]);
    await browser.press('Refresh');
    await browser.see('at most 0.5 per second');
  });
});
