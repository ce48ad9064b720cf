/** A stream of the console whose connection has died without a word, as behind a proxy that drops everything. */
import assert from 'node:assert/strict';
import type { Request } from 'playwright-core';
import { type Owner, owner, password } from '../../api/accounts/owner.js';
import { path, received } from '../../api/streams/watch.js';
import { useApi } from '../../api/use-api.js';
import { until } from '../../support/client.js';
import { openEventStream } from '../../support/network/event-stream.js';
import { type FaultProxy, startFaultProxy } from '../../support/network/fault-proxy.js';
import { type ConsoleBrowser, startConsole } from '../console-browser.js';

describe('a stream of the console that died', () => {
  const app = useApi();
  let proxy: FaultProxy;
  let browser: ConsoleBrowser;
  let me: Owner;
  before(async function () {
    proxy = await startFaultProxy(new URL(app.url).host);
    browser = await startConsole(this, `http://${proxy.address}`);
  });
  beforeEach(async () => {
    proxy.mode = 'pass';
    me = await owner(app);
    await browser.enter({ email: me.email, password });
  });
  afterEach(() => browser.assertClean());
  after(() => Promise.all([browser?.close(), proxy.close()]));

  /** Shows the list of messages. The event of a message that is sent then is lost on its way, and the connection stays open. */
  async function missOne(): Promise<void> {
    const { page } = browser;
    const open = new Set<Request>();
    let isRead = false;
    page.on('request', (request) => open.add(request));
    page.on('requestfailed', (request) => open.delete(request));
    page.on('requestfinished', (request) => {
      open.delete(request);
      isRead ||= new URL(request.url()).pathname === '/api/v1/messages';
    });
    await browser.open('/messages');
    await browser.see(/^Live$/);
    // The bytes of other requests would be lost too, and the browser makes six at a time.
    await until(() => isRead && [...open].every((request) => request.resourceType() === 'eventsource'), 'only the stream is open');
    proxy.mode = 'blackhole';
    const { key } = (await me.call('POST', '/api-keys', { name: 'for the test' })).body.data;
    const other = await openEventStream(`${app.url}${path}`, { 'X-API-Key': key });
    const body = { to: '+15551234567', channel: 'sms', content: { text: 'Hello' }, reference: 'missed' };
    const { status } = await app.call('POST', '/api/v1/messages/send', { key, body });
    assert.equal(status, 201);
    await received(other, 1);
    other.close();
    assert.equal(await browser.row('missed').count(), 0);
  }

  it('a stream is opened again when the network of the machine is back, and what was missed is shown', async () => {
    await missOne();
    await browser.page.context().setOffline(true);
    proxy.mode = 'pass';
    await browser.page.context().setOffline(false);
    await browser.row('missed').waitFor();
  });

  it('a stream is opened again when the machine has slept, and what was missed is shown', async () => {
    await browser.page.clock.install();
    await missOne();
    proxy.mode = 'pass';
    await browser.page.clock.fastForward(120_000);
    await browser.row('missed').waitFor();
  });
});
