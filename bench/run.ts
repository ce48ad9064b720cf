/** `npm run bench`: the limit, single sends, and single sends with a webhook, side by side. Entry point: `node dist/bench/run.js`. */
import { join } from 'node:path';
import { startBare } from './bare.js';
import { bareCase, singleCase, webhookCase } from './cases.js';
import { type Cleanup, runToExit } from './cleanup.js';
import { measure } from './measure.js';
import { watchMemory } from './memory.js';
import { type Options, readOptions, usage } from './options.js';
import { profilingEnvironment } from './profile.js';
import { memoryLines, reportLines } from './report.js';
import { currentLoad, describeEnvironment, previousResults, type Results, resultsDir, saveResults, stampOf } from './results.js';
import { openWorkbench, type Workbench } from './workbench.js';

const say = (...lines: string[]) => process.stdout.write(`${lines.join('\n')}\n`);
const runMsMax = { cases: 15 * 60_000, memory: 25 * 60_000 };

async function run(options: Options, cleanup: Cleanup): Promise<number> {
  const at = new Date();
  const loadBefore = currentLoad();
  const profileDir = join(resultsDir, `profile-${stampOf(at)}`);
  say('Starting a service of its own…');
  const env = { ACCEPT_GROUP_MAX: String(options.groupMax), ...(options.profile ? profilingEnvironment(profileDir) : {}) };
  const bench = await openWorkbench(env, cleanup);
  const results: Results = {
    at: at.toISOString(),
    environment: await describeEnvironment(bench, loadBefore),
    options,
    cases: {},
    alone_accept_ms: {},
  };
  if (options.memory) {
    results.memory = await watchMemory(bench, await webhookCase(bench), options.clients, say);
    say('', ...memoryLines(results.memory));
  } else {
    const profile = await measure(bench, await openCases(bench, options, cleanup), { options, results, profileDir, say });
    say('', ...reportLines(results, previousResults(options)), ...profile);
  }
  say('', `Written to ${saveResults(results)}`);
  return 0;
}

async function openCases(bench: Workbench, { cases }: Options, cleanup: Cleanup) {
  return [
    ...(cases.includes('a') ? [bareCase(bench, await startBare(bench.client, bench.service.temporalAddress, bench.folder, cleanup))] : []),
    ...(cases.includes('b') ? [await singleCase(bench)] : []),
    ...(cases.includes('c') ? [await webhookCase(bench)] : []),
  ];
}

function optionsOrExit(): Options {
  if (process.argv.includes('--help')) {
    say(usage);
    process.exit(0);
  }
  try {
    return readOptions(process.argv.slice(2));
  } catch (error) {
    process.stderr.write(`${(error as Error).message}\n${usage}\n`);
    process.exit(2);
  }
}

const options = optionsOrExit();
await runToExit(options.memory ? runMsMax.memory : runMsMax.cases, (cleanup) => run(options, cleanup));
