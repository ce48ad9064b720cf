/** How often live screens read, and that nothing is missed between a read and the open stream, in a browser. */
import assert from 'node:assert/strict';
import type { Route } from 'playwright-core';
import { until } from '../../support/client.js';
import { holdAnswers } from '../hold-answers.js';
import { holdStream, useMessages } from '../use-messages.js';

describe('reads of live screens in the console', () => {
  const { browser, me, send } = useMessages();

  /** Counts the requests of an address from now on. */
  const countReads = (pattern: RegExp) => {
    const reads = { count: 0 };
    browser.page.on('request', (request) => (reads.count += pattern.test(request.url()) ? 1 : 0));
    return reads;
  };
  let waits: { dispose(): Promise<void> } | undefined;
  /** Reads wait for the stream for as long as a test needs. */
  const waitLong = async () => {
    waits = await browser.page.addInitScript(`{
      const { setTimeout } = window;
      window.setTimeout = (work, ms) => setTimeout(work, ms === 500 ? 60_000 : ms);
    }`);
  };
  afterEach(async () => {
    await waits?.dispose();
    waits = undefined;
  });

  it('a reload reads the list once, because the stream opens before the screen is shown', async () => {
    await waitLong();
    await send({ reference: 'order-1' });
    const release = await holdAnswers(browser, '**/api/v1/workspace');
    const opened = browser.page.waitForResponse('**/api/v1/stream');
    const reads = countReads(/\/messages\?limit=50/);
    await browser.open('/messages');
    await opened;
    release();
    await browser.row('order-1').waitFor();
    await browser.see(/^Live$/);
    assert.equal(reads.count, 1);
  });

  for (const [screen, path, read] of [
    ['the list of messages', async () => '/messages', /\/messages\?limit=50/],
    ['a message', async () => `/messages/${(await send()).id}`, /\/api\/v1\/messages\/[^/]+$/],
    ['the list of batches', async () => '/batches', /\/api\/v1\/messages\/bulk(\?|$)/],
    ['a webhook', async () => `/webhooks/${await newWebhook()}`, /\/deliveries\?/],
  ] as const) {
    it(`${screen} is read once when the stream takes a moment to open`, async () => {
      await waitLong();
      const reads = countReads(read);
      const connect = await holdStream(browser);
      await browser.open(await path());
      await browser.page.locator('main .loading').first().waitFor();
      assert.equal(reads.count, 0);
      connect();
      await browser.see(/^Live$/);
      await browser.until('document.querySelector("main .loading") === null');
      assert.equal(reads.count, 1);
    });
  }

  it('a message that is accepted after the read of the list, and before the stream is open, is shown', async () => {
    await send({ reference: 'order-1' });
    const connect = await holdStream(browser);
    await browser.open('/messages');
    await browser.row('order-1').waitFor();
    await send({ reference: 'order-2' });
    connect();
    await browser.row('order-2').waitFor();
  });

  it('a slow read that began before the stream was open is shown, and another one follows it', async () => {
    const { id } = await send();
    const reads: Route[] = [];
    await browser.page.route(`**/api/v1/messages/${id}`, (route) => void reads.push(route));
    const connect = await holdStream(browser);
    await browser.open(`/messages/${id}`);
    await until(() => reads.length > 0, 'the first read');
    connect();
    await browser.see(/^Live$/);
    await reads[0]?.continue();
    await browser.page.getByText('○ queued', { exact: true }).waitFor();
    await until(() => reads.length > 1, 'the second read');
  });

  it('a list is read at once where no stream can be opened', async () => {
    await waitLong();
    await send({ reference: 'order-1' });
    await browser.page.route('**/api/v1/stream**', (route) => route.fulfill({ status: 409, json: { success: false, error: 'None' } }));
    await browser.open('/messages');
    await browser.row('order-1').waitFor();
  });

  async function newWebhook(): Promise<string> {
    const { body } = await me.call('POST', '/webhooks', { url: 'https://example.com/hook', events: ['message.sent'] });
    return body.data.webhook.id;
  }
});
