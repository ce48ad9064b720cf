/** `npm run bench:scrape`: how long the pages of metrics of API and worker take beside sends at a steady rate, and how many series they have. */
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { openAccount } from '../../harness/load/account.js';
import { createSender } from '../../harness/load/sender.js';
import { steadySends, formatLatency } from '../../harness/load/steady-sends.js';
import { atMost, formatPercentiles } from '../../harness/measure/figures.js';
import { percentiles } from '../../harness/measure/pass.js';
import { type Cleanup, runToExit } from '../../harness/stage/cleanup.js';
import { startService } from '../../harness/stage/service.js';
import { temporaryFolder } from '../../harness/stage/temporary-folder.js';
import { say, sayReport } from '../../harness/report/say.js';
import { freePort } from '../../models/network/free-port.js';
import { workerMetricsPort } from '../../models/settings/operator-settings.js';

const runMsMax = 10 * 60_000;
const targets = { scrapeMs: 50, series: 2_000 };
/** Several times as often as Prometheus would, for enough measurements. */
const everyMs = 500;

interface Options {
  seconds: number;
  perSecond: number;
}

async function run({ seconds, perSecond }: Options, cleanup: Cleanup): Promise<number> {
  // The worker takes the port after it, which is most probably free too.
  const port = await freePort();
  const { baseUrl } = await startService(temporaryFolder('scrape', cleanup), { METRICS_PORT: String(port) }, cleanup);
  const sender = createSender(baseUrl, (await openAccount(baseUrl)).apiKey);
  const ending = new AbortController();
  const pages = { API: `http://127.0.0.1:${port}/metrics`, worker: `http://127.0.0.1:${workerMetricsPort(port)}/metrics` };
  const scrapes = Promise.all(Object.values(pages).map((url) => scrapeUntil(url, ending.signal)));
  const sends = await steadySends(sender, seconds, perSecond);
  ending.abort();
  const found = await scrapes;
  say(`sends    ${formatLatency(sends)}`);
  const lines = Object.keys(pages).map((name, index) => {
    const { times = [], series = 0 } = found[index] ?? {};
    const of = percentiles(times);
    say(`${name.padEnd(8)} ${formatPercentiles(of)} of ${times.length} pages, ${series} series`);
    return atMost(`page of the ${name}, p95 ms`, of.p95, targets.scrapeMs, 0);
  });
  const series = found.reduce((sum, page) => sum + page.series, 0);
  return sayReport(...lines, atMost('series', series, targets.series, 0));
}

/** @returns the time of each page in milliseconds, and the series of the last one */
async function scrapeUntil(url: string, signal: AbortSignal): Promise<{ times: number[]; series: number }> {
  const times: number[] = [];
  let series = 0;
  while (!signal.aborted) {
    const begun = performance.now();
    const text = await (await fetch(url)).text();
    times.push(performance.now() - begun);
    series = text.split('\n').filter((line) => line !== '' && !line.startsWith('#')).length;
    await sleep(everyMs, undefined, { signal }).catch(() => undefined);
  }
  return { times, series };
}

const text = { type: 'string' } as const;
const { values } = parseArgs({ options: { seconds: { ...text, default: '30' }, rate: { ...text, default: '50' } } });
const options = { seconds: Number(values.seconds), perSecond: Number(values.rate) };
if (!(options.seconds >= 1 && options.perSecond >= 1)) throw new Error('--seconds and --rate must be numbers from 1 on');
await runToExit(runMsMax, (cleanup) => run(options, cleanup));
