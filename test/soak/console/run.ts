/**
 * `npm run soak:console`: how soon the first screen can be used on a slow computer, and how soon the list shows each status of a message
 * beside sends at a steady rate.
 */
import { parseArgs } from 'node:util';
import type { Page } from 'playwright-core';
import { type Account, openAccount } from '../../../harness/load/account.js';
import { createSender } from '../../../harness/load/sender.js';
import { steadySends, formatLatency } from '../../../harness/load/steady-sends.js';
import { atMost, formatPercentiles } from '../../../harness/measure/figures.js';
import { percentiles } from '../../../harness/measure/pass.js';
import { type Cleanup, runToExit } from '../../../harness/stage/cleanup.js';
import { startService } from '../../../harness/stage/service.js';
import { temporaryFolder } from '../../../harness/stage/temporary-folder.js';
import { say, sayReport } from '../../../harness/report/say.js';
import { logIn, openBrowser } from '../../support/browser.js';

const runMsMax = 10 * 60_000;
/** How much slower the computer of a viewer is. */
const slowDown = 4;
const targets = { firstScreenMs: 1_000, shownMs: 300 };
const drainMs = 3_000;

interface Options {
  loads: number;
  seconds: number;
  perSecond: number;
}

async function run({ loads, seconds, perSecond }: Options, cleanup: Cleanup): Promise<number> {
  const browser = await openBrowser();
  if (browser === undefined) throw new Error('install Chromium');
  cleanup.add(() => browser.close());
  const { baseUrl } = await startService(
    temporaryFolder('console', cleanup),
    { RATE_LIMIT_AUTH: '1000/60', RATE_LIMIT_LOGIN: '1000/60' },
    cleanup,
  );
  const account = await openAccount(baseUrl);
  await logIn(browser.page, baseUrl, account);
  const first = await firstScreens(browser.page, `${baseUrl}/console`, loads);
  await browser.page.goto(`${baseUrl}/console/messages`);
  await browser.page.getByText('Live', { exact: true }).waitFor();
  await browser.page.evaluate(watchRows);
  const sends = await steadySends(createSender(baseUrl, account.apiKey), seconds, perSecond);
  await browser.page.waitForTimeout(drainMs);
  const shown = await shownAfter(browser.page, `${baseUrl}/api/v1`, account);
  const [load, event] = [percentiles(first), percentiles(shown)];
  say(
    `first screen   ${formatPercentiles(load)} of ${first.length} loads, CPU ${slowDown} times slower`,
    `sends          ${formatLatency(sends)}`,
    `shown          ${formatPercentiles(event)} after the status, of ${shown.length} messages`,
  );
  return sayReport(
    atMost('first screen, p95 ms', load.p95, targets.firstScreenMs, 0),
    atMost('event shown, p95 ms', event.p95, targets.shownMs, 0),
  );
}

/** Milliseconds from the navigation until the overview has its data, with an empty cache. */
async function firstScreens(page: Page, url: string, loads: number): Promise<number[]> {
  const chrome = await page.context().newCDPSession(page);
  await chrome.send('Network.setCacheDisabled', { cacheDisabled: true });
  await chrome.send('Emulation.setCPUThrottlingRate', { rate: slowDown });
  const times: number[] = [];
  for (let load = 0; load < loads; load += 1) {
    await page.goto(url);
    await page.getByText('nothing was spent in the last 7 days').waitFor();
    times.push(await page.evaluate<number>('performance.now()'));
  }
  await chrome.send('Emulation.setCPUThrottlingRate', { rate: 1 });
  return times;
}

/** Notes in the page when each row first shows `delivered`. */
const watchRows = `
  window.shown = new Map();
  new MutationObserver(() => {
    for (const row of document.querySelectorAll('tbody tr')) {
      const id = row.querySelector('a')?.pathname.split('/').at(-1);
      if (row.textContent.includes('delivered') && !window.shown.has(id)) window.shown.set(id, Date.now());
    }
  }).observe(document.body, { subtree: true, childList: true, characterData: true });`;

/** Milliseconds from the status to the row, for the messages that the page still lists. */
async function shownAfter(page: Page, api: string, { apiKey }: Account): Promise<number[]> {
  const shown = new Map(await page.evaluate<[string, number][]>('[...window.shown]'));
  const response = await fetch(`${api}/messages?limit=100`, { headers: { 'X-API-Key': apiKey } });
  const { data } = (await response.json()) as { data: { messages: { id: string; delivered_at: string | null }[] } };
  return data.messages.flatMap(({ id, delivered_at: at }) => {
    const seenAt = shown.get(id);
    return seenAt === undefined || at === null ? [] : [Math.max(0, seenAt - Date.parse(at))];
  });
}

const text = { type: 'string' } as const;
const { values } = parseArgs({
  options: { loads: { ...text, default: '20' }, seconds: { ...text, default: '20' }, rate: { ...text, default: '4' } },
});
const options = { loads: Number(values.loads), seconds: Number(values.seconds), perSecond: Number(values.rate) };
if (!(options.loads >= 1 && options.seconds >= 1 && options.perSecond >= 1)) throw new Error('--loads, --seconds and --rate are from 1 on');
await runToExit(runMsMax, (cleanup) => run(options, cleanup));
