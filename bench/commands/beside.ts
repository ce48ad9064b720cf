/** `npm run bench:beside`: the effect of one tenant's erasure and slow batch on another tenant. */
import { parseArgs } from 'node:util';
import { chosenBy } from '../../harness/report/only-option.js';
import { type Cleanup, runToExit } from '../../harness/stage/cleanup.js';
import { startService } from '../../harness/stage/service.js';
import { temporaryFolder } from '../../harness/stage/temporary-folder.js';
import { say, sayVerdict } from '../../harness/report/say.js';
import { besideErasure } from '../cases/beside-erasure.js';
import { besideSlowBatch } from '../cases/beside-slow-batch.js';

const runMsMax = 20 * 60_000;
const cases = { 'slow-batch': besideSlowBatch, erasure: besideErasure };

async function run(only: string, cleanup: Cleanup): Promise<number> {
  const chosen = chosenBy(only, Object.entries(cases), ([name]) => name);
  const service = await startService(temporaryFolder('beside', cleanup), {}, cleanup);
  const violations: string[] = [];
  for (const [, measure] of chosen) {
    const outcome = await measure(service, cleanup);
    say(...outcome.lines);
    violations.push(...outcome.violations);
  }
  return sayVerdict(violations);
}

const { values } = parseArgs({ options: { only: { type: 'string', default: '' } } });
await runToExit(runMsMax, (cleanup) => run(values.only, cleanup));
