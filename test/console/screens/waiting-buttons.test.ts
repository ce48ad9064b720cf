/** Buttons of the console while the service works on what they asked for. */
import assert from 'node:assert/strict';
import { until } from '../../support/client.js';
import { buildWebhook } from '../../support/rows/factories.js';
import { useMessages } from '../use-messages.js';

describe('a button that waits in the console', () => {
  const { browser, me, send } = useMessages();
  const path = async (folder: string, body: object) => {
    const { data } = (await me.call('POST', `/${folder}`, body)).body;
    return `/${folder}/${data.contact?.id ?? ''}`;
  };
  /** What is pressed, and the answer to its question. */
  const buttons: readonly [button: string, answer: string | null, open: () => Promise<string>][] = [
    ['Switch off', null, async () => `/webhooks/${(await buildWebhook(me.workspaceId, 'https://example.com/')).row.id}`],
    ['Send a test event', null, async () => `/webhooks/${(await buildWebhook(me.workspaceId, 'https://example.com/')).row.id}`],
    ['Cancel', 'Cancel the message', async () => `/messages/${(await send()).id}`],
    ['Delete', 'Delete the contact', () => path('contacts', { phone: '+15551234567' })],
    ['Revoke orders', 'Revoke the key', async () => path('api-keys', { name: 'orders' }).then(() => '/keys')],
    [
      'Remove ada@example.com on email',
      'Remove the suppression',
      () => path('suppressions', { channel: 'email', recipient: 'ada@example.com' }),
    ],
    ['End all sessions', 'Sign out everywhere', async () => '/settings'],
  ];

  for (const [name, answer, open] of buttons)
    it(`"${name}" says that it waits, and a second press sends nothing`, async () => {
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
});
