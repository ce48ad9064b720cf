/** The order of a run: warm-up, the cases in turn, batches, isolation, fixed rates, then one client alone. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Isolation } from '../cases/isolation.js';
import type { ColumnKey, MeasuredCase, SingleCase } from '../cases/measured-case.js';
import type { Load } from '../../harness/load/closed-loop.js';
import type { OpenLoop } from '../cases/open-loop.js';
import type { Options } from '../options.js';
import { type Pass, percentiles, runPass, type Sent, summarizePasses } from '../../harness/measure/pass.js';
import { profiled } from '../../harness/measure/profile.js';
import type { Results } from '../report/results.js';
import type { Workbench } from '../../harness/stage/workbench.js';

export interface Run {
  options: Options;
  /** Collects the figures. */
  results: Results;
  profileDir: string;
  say(...lines: string[]): void;
}

/** The cases to measure. */
export interface Cases {
  /** Measured in turn, and at the end with one client. */
  singles: readonly SingleCase[];
  /** Only for the warm-up, in addition to the singles. */
  warmUps: readonly MeasuredCase[];
  /** Each measured once, after the first round of the singles. */
  batches: readonly MeasuredCase[];
  isolation: (() => Promise<Isolation>) | undefined;
  openLoop: (() => Promise<OpenLoop[]>) | undefined;
}

/** The share of messages for the unmeasured warm-up. */
const warmUpShare = 0.1;
const warmUpSecondsMax = 8;
/** The maximum duration of a case in the pass with one client. */
const aloneSecondsMax = 60;
/** A message is done when its row says so. The servers need about 50 ms more to finish its workflow. */
const alonePauseMs = 150;

/** Measures the cases and adds them to the results. @returns the summary of the CPU profiles */
export async function measure(bench: Workbench, { singles, warmUps, batches, isolation, openLoop }: Cases, run: Run): Promise<string[]> {
  const { options, results, say } = run;
  const profile: string[] = [];
  const passes = new Map<ColumnKey, Pass[]>();
  const measureNext = async (item: MeasuredCase, round: string) => {
    say(`${round}${item.key}, ${item.title}…`);
    passes.set(item.key, [...(passes.get(item.key) ?? []), await measureOnce(bench, item, run, profile)]);
  };
  say('Warming up…');
  const warmUp: Load = { messages: Math.ceil(options.messages * warmUpShare), clients: options.clients, secondsMax: warmUpSecondsMax };
  for (const item of [...singles, ...warmUps]) await item.sendAll(warmUp);
  for (let round = 1; round <= options.rounds; round += 1) {
    for (const item of singles) await measureNext(item, `Round ${round} of ${options.rounds}: `);
    const batch = batches[round - 1];
    if (batch !== undefined) await measureNext(batch, '');
  }
  for (const batch of batches.slice(options.rounds)) await measureNext(batch, '');
  for (const { key, title } of [...singles, ...batches]) results.cases[key] = summarizePasses(title, passes.get(key) ?? []);
  if (isolation !== undefined) {
    say('Single messages and other calls, idle and during a batch…');
    results.isolation = await isolation();
  }
  if (openLoop !== undefined) {
    say(`Sends that arrive at ${options.rates.join(', ')} a second…`);
    results.open_loop = await openLoop();
  }
  const alone = singles.filter(({ key }) => key !== 'c');
  if (alone.length > 0) say('One client…');
  await measureAlone(alone, run);
  return profile;
}

async function measureOnce(bench: Workbench, item: MeasuredCase, { options, profileDir }: Run, profile: string[]): Promise<Pass> {
  const { messages, rounds, clients, secondsMax } = options;
  const load = { messages: Math.ceil(messages / rounds), clients, secondsMax: secondsMax / rounds };
  const pass = () => runPass(item, load, bench.client);
  if (!options.profile || item.key !== profiledKey(options)) return pass();
  const { result, lines } = await profiled(bench, profileDir, pass);
  profile.push('', ...lines);
  return result;
}

const profiledKey = ({ cases }: Options): ColumnKey => {
  if (cases.includes('b')) return 'b';
  return cases.includes('d') ? 'd10' : 'c';
};

/** Measures the cases in turn, message by message. Each starts when the previous workflow has finished on all servers. */
async function measureAlone(items: readonly SingleCase[], { options, results }: Run): Promise<void> {
  const sent = new Map<ColumnKey, Sent[]>();
  const until = performance.now() + aloneSecondsMax * 1000;
  for (let round = 0; round < options.alone && performance.now() < until; round += 1) {
    for (const item of items) {
      sent.set(item.key, [...(sent.get(item.key) ?? []), await item.send()]);
      await sleep(alonePauseMs);
    }
  }
  for (const [key, all] of sent) results.alone_accept_ms[key] = percentiles(all.map(({ acceptMs }) => acceptMs));
}
