/** Webhooks in a browser, with a whole service and a real receiver: what a newcomer does, and what somebody does whose receiver is broken. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { root } from '../deploy/project.js';
import { deliveryHeaders } from '../../models/rules/webhooks/signed-headers.js';
import { restClient, type Account } from '../support/client.js';
import { freePort } from '../support/network/free-port.js';
import { answerWith, type Receiver, startReceiver } from '../support/network/receiver.js';
import { type Service, startService } from '../support/service.js';
import { type ConsoleBrowser, startConsole, xssTexts } from './console-browser.js';

describe('webhooks in the console', () => {
  let service: Service;
  let receiver: Receiver;
  let browser: ConsoleBrowser;
  let account: Account;
  before(async function () {
    [service, receiver] = await Promise.all([startService({ isHere: true, env: { WEBHOOK_RETRY_DELAYS: '3600' } }), startReceiver()]);
    browser = await startConsole(this, service.url);
    account = await restClient(service.url).signUp();
    await browser.enter(account);
  });
  after(async () => {
    await browser?.close();
    await receiver?.close();
    await service?.stop();
  });
  afterEach(() => browser.assertClean());
  const openWebhook = async () => {
    await browser.open('/webhooks');
    await browser.follow(receiver.url);
    await browser.page.getByRole('heading', { name: 'Deliveries' }).waitFor();
  };
  const nothingIsPending = () => browser.until(`![...document.querySelectorAll('tbody tr')].some((row) => /pending/.test(row.innerText))`);

  it('a webhook is created: a fault beside its field, then the secret once, with code that verifies', async () => {
    await browser.follow('Webhooks');
    await browser.follow('Create a webhook');
    await browser.fill('URL', 'http://example.com/');
    await browser.press('Create');
    await browser.see('Webhook URL must use HTTPS');
    await browser.fill('URL', receiver.url);
    await browser.press('Create');
    await browser.see(/^whsec_/);
    await browser.assertAccessible();
    const secret = await browser.page.getByRole('region', { name: 'the secret', exact: true }).innerText();
    const code = await browser.page.getByRole('region', { name: 'the receiver for Node', exact: true }).innerText();
    assert.deepEqual(await answersOf(code, secret), [204, 403]);
    await browser.press('I have stored the secret: go to the webhook');
    await browser.page.getByRole('heading', { name: 'Deliveries' }).waitFor();
    assert.equal(await browser.page.getByText(secret).count(), 0);
    await browser.assertAccessible();
  });

  it('a message is sent by hand and seen delivered, with its deliveries, in four clicks', async () => {
    await browser.open('/messages');
    let clicks = 0;
    await browser.page.exposeFunction('countClick', () => (clicks += 1));
    await browser.page.evaluate('addEventListener("click", () => window.countClick(), true)');
    await browser.follow('Send');
    await browser.fill('To', '+15551234567');
    await browser.fill('Text', 'Hello from the console');
    await browser.press('Send');
    await browser.see('Delivered to the recipient');
    await browser.page.getByRole('link', { name: 'Show the delivery' }).first().waitFor();
    assert.ok(clicks <= 4, `${clicks} clicks`);
    await receiver.untilReceived(2);
    await browser.page.getByText('succeeded').first().waitFor();
  });

  it('a test event that is acknowledged appears in the list of deliveries at once', async () => {
    await openWebhook();
    await browser.row('message.sent').first().waitFor();
    assert.equal(await browser.row('webhook.test').count(), 0);
    await browser.press('Send a test event');
    await browser.see(/^The receiver acknowledged the test event with 200/);
    await browser.row('webhook.test').getByText('succeeded').waitFor();
  });

  it('a pending delivery that is acknowledged later is shown as succeeded, without an event', async () => {
    let release = () => {};
    const released = new Promise<void>((resolve) => (release = resolve));
    receiver.answer = (_received, response) => void released.then(() => response.writeHead(200).end());
    await openWebhook(); // loaded before the attempt begins, which ends after ten seconds
    const client = restClient(service.url);
    await client.messageUntil(account, (await client.send(account)).id, ({ status }) => status === 'delivered');
    await browser.page.reload();
    await browser.row('pending').first().waitFor();
    release();
    await nothingIsPending();
    await browser.row('succeeded').first().waitFor();
  });

  it('a test event that fails leads to its delivery, with the reason in words, and can be sent again', async () => {
    receiver.answer = (_received, response) =>
      response.writeHead(500, { 'X-Odd': xssTexts[0].replaceAll('\n', '') }).end(xssTexts.join('\n'));
    await openWebhook();
    await browser.press('Send a test event');
    await browser.page.getByRole('heading', { name: 'Delivery', exact: true }).waitFor();
    await browser.see(/^The receiver returned 500\. The receiver failed: see its log\.$/);
    await browser.page.evaluate('for (const each of document.querySelectorAll("details")) each.open = true');
    await browser.see(new RegExp(`POST ${receiver.url}`));
    await browser.see(/webhook-signature: /);
    await browser.see(/window\.hacked = 6/);
    await browser.assertAccessible();
    receiver.answer = answerWith(204);
    await browser.press('Send again');
    await browser.see('Acknowledged with 204');
  });

  it('failed deliveries are counted before a replay, and go out by it', async () => {
    receiver.answer = answerWith(503);
    const client = restClient(service.url);
    const { id } = await client.send(account);
    await client.messageUntil(account, id, ({ status }) => status === 'delivered');
    await openWebhook();
    await browser.row('pending').first().waitFor();
    const form = browser.page.locator('form').filter({ hasText: 'Count' });
    await form.getByLabel('From', { exact: true }).fill('2026-01-01T00:00');
    await form.getByLabel('Status').selectOption('pending');
    await browser.press('Count');
    await browser.see(/deliveries match\. Each is sent again, with all its retries if it had failed or was held\.$/);
    receiver.answer = answerWith(200); // not before they are counted: a first attempt may still be on its way
    const seen = receiver.received.length;
    await browser.page.getByRole('button', { name: /^Send \d+ again$/ }).click();
    await browser.row('completed').waitFor();
    await nothingIsPending();
    await browser.assertAccessible();
    assert.ok(receiver.received.length > seen);
    await form.getByLabel('Status').selectOption('held');
    await browser.press('Count');
    await browser.see('No delivery matches.');
  });

  it('deliveries that are too many to be counted go out by a replay all the same', async () => {
    await openWebhook();
    const refused = { success: false, error: 'A dry run of a replay can have at most 200,000 deliveries', code: 'limit_reached' };
    await browser.page.route('**/replay', (route) =>
      (route.request().postDataJSON() as { dry_run: boolean }).dry_run ? route.fulfill({ status: 409, json: refused }) : route.continue(),
    );
    const form = browser.page.locator('form').filter({ hasText: 'Count' });
    await form.getByLabel('From', { exact: true }).fill('2026-01-01T00:00');
    await form.getByLabel('Status').selectOption('succeeded');
    await browser.press('Count');
    await browser.see(/^Very many deliveries match\./);
    await browser.press('Send all again');
    await browser.see('Replay started.');
    await browser.page.unrouteAll({ behavior: 'ignoreErrors' });
  });

  it('a webhook gets a new secret, is deactivated and activated, changed and deleted', async () => {
    await openWebhook();
    await browser.press('Rotate the secret');
    await browser.page.getByRole('dialog').getByRole('button', { name: 'Rotate the secret' }).click();
    await browser.page.getByRole('region', { name: 'the new secret' }).waitFor();
    await browser.press('I have stored the secret');
    await browser.press('Deactivate');
    await browser.see(/Deactivated\. Its events are held/);
    await browser.press('Activate');
    await browser.see('✓ active');
    await browser.follow('Change');
    await browser.fill('Description (optional)', xssTexts[1]);
    await browser.fill('Retry delays (optional)', '5, 60, 3600');
    await browser.press('Save');
    await browser.see(xssTexts[1]);
    await browser.see('after 1 h');
    await browser.press('Delete');
    const dialog = browser.page.getByRole('dialog');
    await dialog.waitFor();
    await browser.page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    await browser.press('Delete');
    await browser.press('Delete the webhook');
    await browser.see('No webhooks yet');
  });
});

/** Runs the receiver that the console shows. @returns its answers to a genuine request and to another one */
async function answersOf(code: string, secret: string): Promise<number[]> {
  const port = await freePort();
  const env = { PATH: process.env.PATH, PORT: String(port), WEBHOOK_SECRET: secret };
  const program = spawn(process.execPath, ['--input-type=module'], { cwd: root, env, stdio: ['pipe', 'ignore', 'inherit'] });
  program.stdin.end(code);
  const url = `http://127.0.0.1:${port}/`;
  const body = JSON.stringify({ event: 'message.sent', timestamp: new Date().toISOString(), data: {} });
  const post = (headers: Record<string, string>): Promise<number> =>
    fetch(url, { method: 'POST', body, headers }).then(
      ({ status }) => status,
      () => post(headers), // it is starting
    );
  try {
    const timestampSeconds = Math.floor(Date.now() / 1000);
    const genuine = deliveryHeaders({ id: 'one', type: 'message.sent', body, secrets: [secret], timestampSeconds });
    return [await post(genuine), await post({})];
  } finally {
    program.kill();
    await once(program, 'exit');
  }
}
