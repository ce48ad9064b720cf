/** Buttons of the console while the service works on what they asked for. */
import assert from 'node:assert/strict';
import { until } from '../../support/client.js';
import { buildWebhook } from '../../support/rows/factories.js';
import { logInAs } from '../use-console.js';
import { useMessages } from '../use-messages.js';

describe('a button that waits in the console', () => {
  const { browser, me, send } = useMessages();
  const path = async (folder: string, body: object) => {
    const { data } = (await me.call('POST', `/${folder}`, body)).body;
    return `/${folder}/${data.contact?.id ?? ''}`;
  };
  /** What is pressed, and the answer to its question. */
  const buttons: readonly [button: string | RegExp, answer: string | null, open: () => Promise<string>][] = [
    ['Deactivate', null, async () => `/webhooks/${(await buildWebhook(me.workspaceId, 'https://example.com/')).row.id}`],
    ['Send a test event', null, async () => `/webhooks/${(await buildWebhook(me.workspaceId, 'https://example.com/')).row.id}`],
    ['Cancel', 'Cancel the message', async () => `/messages/${(await send()).id}`],
    ['Delete', 'Delete the contact', () => path('contacts', { phone: '+15551234567' })],
    [/^Revoke orders/, 'Revoke the key', async () => path('api-keys', { name: 'orders' }).then(() => '/keys')],
    [
      'Remove ada@example.com on email',
      'Remove the suppression',
      () => path('suppressions', { channel: 'email', recipient: 'ada@example.com' }),
    ],
    ['End all sessions', 'Log out everywhere', async () => '/settings'],
  ];

  for (const [name, answer, open] of buttons)
    it(`"${typeof name === 'string' ? name : answer}" says that it waits, and a second press sends nothing`, async () => {
      await browser.open(await open());
      let requests = 0;
      await browser.page.route('**/api/v1/**', (route) => {
        if (route.request().method() === 'GET') return route.continue();
        requests += 1;
        return undefined;
      });
      await browser.press(name);
      if (answer !== null) await browser.press(answer);
      await until(async () => requests > 0, 'the request');
      const button = browser.page.getByRole('button', { name, exact: true });
      await browser.until(`document.querySelector('button[aria-disabled=true]') !== null`);
      assert.equal(await button.getAttribute('aria-disabled'), 'true');
      await button.click({ force: true });
      assert.equal(await browser.page.getByRole('dialog').count(), 0);
      // A request of the second press would come before this one.
      await browser.page.evaluate(`void fetch('/api/v1/none', { method: 'POST' }).catch(() => undefined)`);
      await until(async () => requests > 1, 'the last request');
      assert.equal(requests, 2);
    });

  /** Keeps the answers of an address back. @returns lets them go, or lets the connections break */
  async function hold(address: string, answer?: object): Promise<(isLost?: boolean) => Promise<void>> {
    let end = (_isLost: boolean) => {};
    const ended = new Promise<boolean>((resolve) => (end = resolve));
    let isDone = false;
    await browser.page.route(address, async (route) => {
      const given = answer === undefined ? { response: await route.fetch() } : { json: { success: true, data: answer } };
      await ((await ended) ? route.abort() : route.fulfill(given));
      isDone = true;
    });
    return async (isLost = false) => {
      end(isLost);
      await until(async () => isDone, 'the end of the request');
      await browser.page.unroute(address);
    };
  }

  it('an answer that comes after its screen was left moves nobody, and becomes a notice', async () => {
    const sendAndLeave = async () => {
      await browser.open('/send?to=%2B15551234567');
      await browser.fill('Text', 'Hello');
      await browser.press('Send');
      await browser.follow('Contacts');
    };
    let answer = await hold('**/messages/send');
    await sendAndLeave();
    await browser.follow('Create a contact');
    await browser.fill('Name (optional)', 'Ada');
    await answer();
    await browser.see('Message accepted.');
    assert.equal(await browser.page.getByLabel('Name (optional)').inputValue(), 'Ada');
    answer = await hold('**/messages/send');
    await sendAndLeave();
    await answer(true);
    await browser.see(/^Send a message: The service cannot be reached\. It is not known whether the message was accepted\./);
  });

  it('an answer that comes after the end of the session says nothing', async () => {
    const { id } = (await buildWebhook(me.workspaceId, 'https://example.com/')).row;
    for (const isLost of [false, true]) {
      const answer = await hold(`**/${id}/test`, { delivery: { id, status: 'failed', attempts: [] } });
      await browser.open(`/webhooks/${id}`);
      await browser.press('Send a test event');
      await browser.press('Log out');
      await browser.page.getByRole('heading', { name: 'Log in' }).waitFor();
      await answer(isLost);
      await browser.page.evaluate(`fetch('/live').then(({ status }) => status)`); // takes the way of the answer
      assert.equal(await browser.page.getByRole('button', { name: 'Close', exact: true }).count(), 0);
      assert.ok(!browser.page.url().includes('/deliveries/'));
      await logInAs(browser, me.email);
    }
  });
});
