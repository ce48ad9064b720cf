/** `npm run bench`: the limit, single sends, and single sends with a webhook, side by side. Entry point: `node dist/bench/run.js`. */
import { join } from 'node:path';
import { startBare } from './bare.js';
import { bareCase, singleCase, webhookCase } from './cases.js';
import { type Cleanup, runToExit } from './cleanup.js';
import { closedLoop, type MeasuredCase, percentiles, runPass, type Sent } from './measured-case.js';
import { watchMemory } from './memory.js';
import { type CaseKey, type Options, readOptions, usage } from './options.js';
import { profiled, profilingEnvironment } from './profile.js';
import { memoryLines, reportLines } from './report.js';
import { currentLoad, describeEnvironment, previousResults, type Results, resultsDir, saveResults, stampOf } from './results.js';
import { openWorkbench, type Workbench } from './workbench.js';

const say = (...lines: string[]) => process.stdout.write(`${lines.join('\n')}\n`);
const runMsMax = { cases: 15 * 60_000, memory: 25 * 60_000 };
/** Share of the messages that warms the caches and the compiler up, unmeasured. */
const warmUpShare = 0.1;
const warmUpSecondsMax = 8;

let options: Options;
try {
  options = readOptions(process.argv.slice(2));
} catch (error) {
  process.stderr.write(`${(error as Error).message}\n${usage}\n`);
  process.exit(2);
}
await runToExit(options.memory ? runMsMax.memory : runMsMax.cases, (cleanup) => run(options, cleanup));

async function run(options: Options, cleanup: Cleanup): Promise<number> {
  const at = new Date();
  const loadBefore = currentLoad();
  const profileDir = join(resultsDir, `profile-${stampOf(at)}`);
  say('Starting a service of its own…');
  const bench = await openWorkbench(options.clients, options.profile ? profilingEnvironment(profileDir) : {}, cleanup);
  const results: Results = { at: at.toISOString(), environment: await describeEnvironment(bench, loadBefore), options, cases: {}, alone_accept_ms: {} };
  if (options.memory) {
    await subscribe(bench);
    results.memory = await watchMemory(bench, webhookCase(bench), options.clients);
    say(...memoryLines(results.memory));
  } else {
    const lines = await measureAll(bench, options, results, profileDir, cleanup);
    say('', ...reportLines(results, previousResults(options.cases)), ...lines);
  }
  say('', `Written to ${saveResults(results)}`);
  return 0;
}

/** Measures the cases into the results; returns what the profiles say. */
async function measureAll(bench: Workbench, options: Options, results: Results, profileDir: string, cleanup: Cleanup): Promise<string[]> {
  const lines: string[] = [];
  const alone: MeasuredCase[] = [];
  const has = (key: CaseKey) => options.cases.includes(key);
  const measure = async (item: MeasuredCase) => {
    say(`${item.key}  ${item.title}…`);
    const warmUp = Math.ceil(options.messages * warmUpShare);
    await closedLoop(() => item.send(), { messages: warmUp, clients: options.clients, secondsMax: warmUpSecondsMax });
    const pass = () => runPass(item, options, bench.client);
    if (options.profile && item.key === 'b') {
      const { result, lines: profile } = await profiled(bench, profileDir, pass);
      results.cases.b = result;
      lines.push('', ...profile);
    } else results.cases[item.key] = await pass();
    alone.push(item);
  };
  if (has('a')) await measure(bareCase(bench, await startBare(bench.client, bench.service.temporalAddress, bench.folder, cleanup)));
  if (has('b')) await measure(singleCase(bench));
  await measureAlone(alone, options, results);
  if (has('c')) {
    await subscribe(bench);
    await measure(webhookCase(bench));
  }
  return lines;
}

/** One client, the cases in turn, so that whatever else the machine does hits them alike. */
async function measureAlone(items: MeasuredCase[], options: Options, results: Results): Promise<void> {
  if (items.length === 0 || options.alone === 0) return;
  say('   one client…');
  const sent = new Map<CaseKey, Sent[]>();
  const until = performance.now() + options.secondsMax * 1000;
  for (let round = 0; round < options.alone && performance.now() < until; round += 1) {
    for (const item of items) sent.set(item.key, [...(sent.get(item.key) ?? []), await item.send()]);
  }
  for (const [key, all] of sent) results.alone_accept_ms[key] = percentiles(all.map(({ acceptMs }) => acceptMs));
}

async function subscribe({ account, receiver }: Workbench): Promise<void> {
  receiver.trust(await account.subscribe(receiver.url));
}
