/** `npm run bench:stream`: 200 open streams beside 100 sends a second: the times of the sends, the memory of the API, how soon events are shown. */
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { openAccount } from '../../harness/load/account.js';
import { createSender } from '../../harness/load/sender.js';
import { type SteadySends, steadySends, formatLatency } from '../../harness/load/steady-sends.js';
import { openViewers } from '../../harness/load/viewers.js';
import type { ViewersFigures } from '../../harness/load/viewers-process.js';
import { atMost, formatPercentiles } from '../../harness/measure/figures.js';
import { usageOf } from '../../harness/measure/process-usage.js';
import { type Cleanup, runToExit } from '../../harness/stage/cleanup.js';
import { type Service, startService } from '../../harness/stage/service.js';
import { temporaryFolder } from '../../harness/stage/temporary-folder.js';
import { numbersFrom } from '../../harness/report/number-options.js';
import { say, sayReport } from '../../harness/report/say.js';

const runMsMax = 15 * 60_000;
const targets = { slower: 1.1, moreMb: 40, shownMs: 300 };
const workspaces = 10;
/** Until the last events are shown. */
const restMs = 3_000;

interface Pass {
  sends: SteadySends;
  rssMb: number;
  cpuMs: number;
}

interface Options {
  seconds: number;
  perSecond: number;
  streams: number;
  rounds: number;
}

async function run({ seconds, perSecond, streams, rounds }: Options, cleanup: Cleanup): Promise<number> {
  const service = await startService(
    temporaryFolder('stream', cleanup),
    { MAX_STREAMS: '1000', RATE_LIMIT_AUTH: '1000000/60', RATE_LIMIT_LOGIN: '1000000/60' },
    cleanup,
  );
  const [alone, watched] = [await openKeys(service.baseUrl), await openKeys(service.baseUrl)];
  const pass = (keys: string[], passSeconds: number) => measured(service, () => sendFrom(service.baseUrl, keys, passSeconds, perSecond));
  await pass(alone, seconds); // warm-up
  await pass(watched, seconds);
  const without: Pass[] = [];
  const beside: Pass[] = [];
  const shown: ViewersFigures[] = [];
  for (let round = 0; round < rounds; round += 1) {
    without.push(await pass(alone, seconds));
    const viewers = await openViewers({ baseUrl: service.baseUrl, keys: watched, streamsOfEach: streams / workspaces }, cleanup);
    beside.push(await pass(watched, seconds));
    await sleep(restMs);
    shown.push(await viewers.close());
  }
  return judge(without, beside, shown, streams / workspaces);
}

function judge(without: Pass[], beside: Pass[], shown: ViewersFigures[], streamsOfEach: number): number {
  without.forEach((pass, index) => say(`without streams   ${formatPass(pass)}`, `beside streams    ${formatPass(beside[index] as Pass)}`));
  for (const figures of shown) say(`events shown      ${formatPercentiles(figures)} of ${figures.events}`);
  const sum = (of: (pass: Pass) => number, passes: Pass[]) => passes.reduce((total, pass) => total + of(pass), 0);
  const expected = sum(({ sends }) => sends.accepted, beside) * 3 * streamsOfEach;
  const events = shown.reduce((total, figures) => total + figures.events, 0);
  return sayReport(
    atMost('p95 of sends, times', medianP95(beside) / medianP95(without), targets.slower),
    atMost(
      'memory of the API, more MB',
      Math.max(...beside.map(({ rssMb }) => rssMb)) - Math.max(...without.map(({ rssMb }) => rssMb)),
      targets.moreMb,
      0,
    ),
    atMost('event shown, p95 ms', Math.max(...shown.map(({ p95 }) => p95)), targets.shownMs, 0),
    atMost('events missing', Math.abs(expected - events), 0, 0),
    atMost(
      'events repeated',
      shown.reduce((total, { repeated }) => total + repeated, 0),
      0,
      0,
    ),
    atMost(
      'sends failed',
      sum(({ sends }) => sends.failed, [...without, ...beside]),
      0,
      0,
    ),
  );
}

const formatPass = ({ sends, rssMb, cpuMs }: Pass) => `${formatLatency(sends)}; API ${rssMb.toFixed(0)} MB, ${cpuMs.toFixed(0)} ms CPU/s`;

function medianP95(passes: Pass[]): number {
  const all = passes.map(({ sends }) => sends.p95).toSorted((one, other) => one - other);
  return all[Math.floor(all.length / 2)] ?? 0;
}

const openKeys = (baseUrl: string) => Promise.all(Array.from({ length: workspaces }, async () => (await openAccount(baseUrl)).apiKey));

function sendFrom(baseUrl: string, keys: string[], seconds: number, perSecond: number): Promise<SteadySends> {
  const senders = keys.map((key) => createSender(baseUrl, key));
  const post = (number: number) => (senders[number % senders.length] as (typeof senders)[number]).post(number);
  return steadySends({ post }, seconds, perSecond);
}

async function measured(service: Service, work: () => Promise<SteadySends>): Promise<Pass> {
  const usage = () => usageOf({ API: service.part('API')?.pid ?? 0 }).API;
  const [before, begunAt] = [usage().cpuMs, performance.now()];
  const sends = await work();
  const { cpuMs, rssMb } = usage();
  return { sends, rssMb, cpuMs: (cpuMs - before) / ((performance.now() - begunAt) / 1_000) };
}

const text = { type: 'string' } as const;
const { values } = parseArgs({
  options: {
    seconds: { ...text, default: '20' },
    rate: { ...text, default: '100' },
    streams: { ...text, default: '200' },
    rounds: { ...text, default: '3' },
  },
});
const { rate: perSecond, ...others } = numbersFrom(1, values);
const options = { ...others, perSecond };
if (options.streams % workspaces !== 0) throw new Error(`--streams must be a multiple of ${workspaces}, the number of workspaces`);
await runToExit(runMsMax, (cleanup) => run(options, cleanup));
