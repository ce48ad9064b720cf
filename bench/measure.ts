/** The order of a run: warm up, the cases in turns, then one client alone. */
import { setTimeout as sleep } from 'node:timers/promises';
import { closedLoop, type MeasuredCase, type Sent } from './measured-case.js';
import type { CaseKey, Options } from './options.js';
import { type Pass, percentiles, runPass, summarizePasses } from './pass.js';
import { profiled } from './profile.js';
import type { Results } from './results.js';
import type { Workbench } from './workbench.js';

export interface Run {
  options: Options;
  /** where the figures go */
  results: Results;
  profileDir: string;
  say(...lines: string[]): void;
}

/** Share of the messages that warms caches and compilers up, unmeasured. */
const warmUpShare = 0.1;
const warmUpSecondsMax = 8;
/** In the pass with one client every case has its turn for so long at most. */
const aloneSecondsMax = 60;
/** A message is done when its row says so; the servers have some 50 ms of work with it after that. */
const alonePauseMs = 150;

/** Measures the cases into the results; returns what the profiles say. */
export async function measure(bench: Workbench, items: readonly MeasuredCase[], run: Run): Promise<string[]> {
  const { options, results, say } = run;
  const profile: string[] = [];
  const passes = new Map<CaseKey, Pass[]>();
  say('Warming up…');
  for (const item of items) await warmUp(item, options);
  for (let round = 1; round <= options.rounds; round += 1) {
    for (const item of items) {
      say(`Round ${round} of ${options.rounds}: ${item.key}, ${item.title}…`);
      passes.set(item.key, [...(passes.get(item.key) ?? []), await measureOnce(bench, item, run, profile)]);
    }
  }
  for (const { key, title } of items) results.cases[key] = summarizePasses(title, passes.get(key) ?? []);
  say('One client…');
  await measureAlone(
    items.filter(({ key }) => key !== 'c'),
    run,
  );
  return profile;
}

async function warmUp(item: MeasuredCase, { messages, clients }: Options): Promise<void> {
  await closedLoop(() => item.send(), { messages: Math.ceil(messages * warmUpShare), clients, secondsMax: warmUpSecondsMax });
}

async function measureOnce(bench: Workbench, item: MeasuredCase, { options, profileDir }: Run, profile: string[]): Promise<Pass> {
  const { messages, rounds, clients, secondsMax } = options;
  const load = { messages: Math.ceil(messages / rounds), clients, secondsMax: secondsMax / rounds };
  const pass = () => runPass(item, load, bench.client);
  if (!options.profile || item.key !== 'b') return pass();
  const { result, lines } = await profiled(bench, profileDir, pass);
  profile.push('', ...lines);
  return result;
}

/** The cases in turn, message by message, each when the last one's workflow is over on all servers. */
async function measureAlone(items: readonly MeasuredCase[], { options, results }: Run): Promise<void> {
  const sent = new Map<CaseKey, Sent[]>();
  const until = performance.now() + aloneSecondsMax * 1000;
  for (let round = 0; round < options.alone && performance.now() < until; round += 1) {
    for (const item of items) {
      sent.set(item.key, [...(sent.get(item.key) ?? []), await item.send()]);
      await sleep(alonePauseMs);
    }
  }
  for (const [key, all] of sent) results.alone_accept_ms[key] = percentiles(all.map(({ acceptMs }) => acceptMs));
}
