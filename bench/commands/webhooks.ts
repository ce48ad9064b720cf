/** `npm run bench:webhooks`: latency and rate of events, beside hanging endpoints, with kills of the worker, and after an outage. */
import { parseArgs } from 'node:util';
import { chosenBy } from '../../harness/report/only-option.js';
import { type Cleanup, runToExit } from '../../harness/stage/cleanup.js';
import { deliverBacklog } from '../cases/webhook-backlog.js';
import { killUnderWebhooks } from '../cases/webhook-kills.js';
import { firstAttempts, saturate } from '../cases/webhook-latency.js';
import type { Outcome } from '../cases/outcome.js';
import { openWorkbench, type Workbench } from '../../harness/stage/workbench.js';
import { numbersFrom } from '../../harness/report/number-options.js';
import { say, sayVerdict } from '../../harness/report/say.js';

const runMsMax = 20 * 60_000;

const cases: Record<string, (bench: Workbench, seconds: number, cleanup: Cleanup) => Promise<Outcome>> = {
  first: firstAttempts,
  saturation: saturate,
  backlog: deliverBacklog,
  kills: killUnderWebhooks,
};

async function run(only: string, seconds: number, cleanup: Cleanup): Promise<number> {
  const chosen = chosenBy(only, Object.entries(cases), ([name]) => name);
  say('Starting a service of its own…');
  const bench = await openWorkbench({ RATE_LIMIT_AUTH: '1000000/60', RATE_LIMIT_LOGIN: '1000000/60' }, cleanup);
  const violations: string[] = [];
  for (const [, measure] of chosen) {
    const outcome = await measure(bench, seconds, cleanup);
    say('', ...outcome.lines);
    violations.push(...outcome.violations);
  }
  say('');
  return sayVerdict(violations);
}

const { values } = parseArgs({ options: { only: { type: 'string', default: '' }, seconds: { type: 'string', default: '20' } } });
const { seconds } = numbersFrom(1, { seconds: values.seconds });
await runToExit(runMsMax, (cleanup) => run(values.only, seconds, cleanup));
