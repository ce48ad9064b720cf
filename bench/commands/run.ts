/** `npm run bench`: the lower bound, single sends, single sends with a webhook, batches, and fixed rates. Entry point: `node dist/bench/commands/run.js`. */
import { join } from 'node:path';
import { startBare } from '../cases/bare.js';
import { openBulk } from '../cases/bulk.js';
import { bareCase, singleCase, webhookCase } from '../cases/cases.js';
import { type Cleanup, runToExit } from '../../harness/stage/cleanup.js';
import { measureIsolation } from '../cases/isolation.js';
import { type Cases, measure } from './measure.js';
import { measureOpenLoop } from '../cases/open-loop.js';
import { type Options, readOptions, usage } from '../options.js';
import { writePage } from '../report/page.js';
import { plainCase } from '../cases/plain-sends.js';
import { profilingEnvironment } from '../../harness/measure/profile.js';
import { measureOutage, outageLines } from '../cases/outage.js';
import { measureReports } from '../cases/reports.js';
import { reportFigureLines, reportLines, soakLines } from '../report/report.js';
import { currentLoad, describeEnvironment, previousResults, type Results, resultsDir, saveResults, stampOf } from '../report/results.js';
import { soak } from '../cases/soak.js';
import { openSubscriber, openWorkbench, type Workbench } from '../../harness/stage/workbench.js';
import { say, sayReport } from '../../harness/report/say.js';
import type { Line } from '../../harness/measure/figures.js';

const warmUpRecipients = 500;
const runMsMax = { cases: 15 * 60_000, soak: 90 * 60_000 };

async function run(options: Options, cleanup: Cleanup): Promise<number> {
  if (options.reports) {
    const folder = options.profile ? join(resultsDir, `profile-${stampOf(new Date())}`) : undefined;
    return sayReport('', ...reportFigureLines(await measureReports(options.messages, say, folder)));
  }
  if (options.outage) return sayReport('', ...outageLines(await measureOutage(say, cleanup)));
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
  const lines: Line[] = [];
  if (options.soak > 0) {
    const load = { messages: options.soak, clients: options.clients };
    results.soak = await soak(bench, load, say, cleanup);
    lines.push(...soakLines(results, previousResults(options)));
  } else {
    const profile = await measure(bench, await openCases(bench, options, cleanup), { options, results, profileDir, say });
    lines.push(...reportLines(results, previousResults(options)), ...profile);
    if (options.page) lines.push('', `Written to ${writePage(results)}`);
  }
  return sayReport('', ...lines, '', `Written to ${saveResults(results)}`);
}

async function openCases(bench: Workbench, { cases, rates, recipients }: Options, cleanup: Cleanup): Promise<Cases> {
  const subscriber = await openSubscriber(bench);
  const single = await singleCase(bench);
  const bulk = openBulk(bench, subscriber, cleanup);
  return {
    singles: [
      ...(cases.includes('a')
        ? [bareCase(bench, await startBare(bench.client, bench.service.temporalAddress, bench.folder, cleanup))]
        : []),
      ...(cases.includes('p') ? [await plainCase(bench, cleanup)] : []),
      ...(cases.includes('b') ? [single] : []),
      ...(cases.includes('c') ? [webhookCase(bench, subscriber)] : []),
    ],
    warmUps: cases.includes('d') ? [bulk.caseOf('d3', warmUpRecipients)] : [],
    batches: cases.includes('d') ? [bulk.caseOf('d3', 3_000), bulk.caseOf('d10', recipients)] : [],
    isolation: cases.includes('e') ? () => measureIsolation(bench, bulk, single, recipients) : undefined,
    openLoop: cases.includes('f') ? () => measureOpenLoop(bench, subscriber, rates, cleanup) : undefined,
  };
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
await runToExit(options.soak > 0 ? runMsMax.soak : runMsMax.cases, (cleanup) => run(options, cleanup));
