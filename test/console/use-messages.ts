/** The console of a `describe`, and the messages of the workspace that is logged in. */
import assert from 'node:assert/strict';
import { recordStatuses } from '../../models/operations/messages/record-statuses.js';
import { useApi } from '../api/use-api.js';
import type { ConsoleBrowser } from './console-browser.js';
import { useConsole } from './use-console.js';

/**
 * Starts both and logs in a new workspace for each test.
 * @returns also what sends by the API, and what records statuses as the worker would
 */
export function useMessages() {
  const app = useApi({ env: { TRUSTED_PROXIES: '127.0.0.1', TEMPORAL_UI_URL: 'https://temporal.example.com/' } });
  const { browser, me } = useConsole(app, { forEachTest: true });
  return {
    app,
    browser,
    me,
    /** A message of the workspace, sent with the session of the browser. */
    async send(more: object = {}): Promise<{ id: string }> {
      const headers = {
        Cookie: (await browser.page.context().cookies()).map(({ name, value }) => `${name}=${value}`).join('; '),
        'Sec-Fetch-Site': 'same-origin',
      };
      const body = { to: '+15551234567', channel: 'sms', content: { text: 'Hello' }, ...more };
      const answer = await app.call('POST', '/api/v1/messages/send', { body, headers });
      assert.equal(answer.status, 201, JSON.stringify(answer.body));
      return answer.body.data.message;
    },
    move: (id: string, to: 'sent' | 'delivered' | 'failed', detail: 'awaiting_report' | 'delivered' | 'undeliverable', more: object = {}) =>
      app.deps.db.transaction((transaction) =>
        recordStatuses(app.deps.db, transaction, {
          to,
          changes: [{ id, status_detail: detail, at: new Date(), provider: 'sandbox', ...more }],
        }),
      ),
  };
}

/** Moves the browser to a time zone during this work. */
export async function inZone({ page }: ConsoleBrowser, timezoneId: string, work: () => Promise<void>): Promise<void> {
  const devtools = await page.context().newCDPSession(page);
  await devtools.send('Emulation.setTimezoneOverride', { timezoneId });
  try {
    await work();
  } finally {
    await devtools.detach(); // which ends it
  }
}

/** Hands over as `handOver` of the console does: in a frame, or after a time without one. Chromium draws none while the machine is busy. */
const handedOver = 'new Promise((done) => { requestAnimationFrame(() => requestAnimationFrame(done)); setTimeout(done, 2_000); })';

/** Listens from now on. @returns a function that waits until the page has got the next event of its stream, and has handed it over */
export async function listenForEvent({ page }: ConsoleBrowser): Promise<() => Promise<void>> {
  const devtools = await page.context().newCDPSession(page);
  await devtools.send('Network.enable');
  const isReceived = new Promise((resolve) => devtools.once('Network.eventSourceMessageReceived', resolve));
  return async () => {
    await isReceived;
    await page.evaluate(handedOver);
    await devtools.detach();
  };
}

/** Keeps the connection of the stream back. @returns what lets it begin: a list that was read before is read again then */
export async function holdStream({ page }: ConsoleBrowser): Promise<() => void> {
  let begin = () => {};
  const isDue = new Promise<void>((resolve) => (begin = resolve));
  await page.route('**/api/v1/stream**', async (route) => {
    await isDue;
    // The page may have given it up.
    await route.continue().catch(() => undefined);
  });
  return begin;
}
