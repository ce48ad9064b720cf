/**
 * `npm run soak:handoff`: sends singles and paced pages through a Twilio counterpart that takes no idempotency key and answers late, while
 * processes are deployed, killed and frozen and backends are terminated. Then judges what the carrier took against what the service says.
 */
import { parseArgs } from 'node:util';
import { until } from '../../support/client.js';
import { mochaGlobalSetup, mochaGlobalTeardown } from '../../support/servers.js';
import { startService } from '../../support/service.js';
import { startTwilio, twilioEnv } from '../../support/carriers/twilio.js';
import { randomOf } from '../../chaos/random.js';
import { openCarrier } from './carrier.js';
import { runFaults } from './faults.js';
import { startLoad } from './load.js';
import { judge, openMessages } from './verdict.js';
import { type Cleanup, runToExit } from '../../../harness/stage/cleanup.js';
import { numbersFrom } from '../../../harness/report/number-options.js';
import { say, sayVerdict } from '../../../harness/report/say.js';

const { values } = parseArgs({
  options: {
    messages: { type: 'string', default: '10000' },
    rounds: { type: 'string', default: '20' },
    terminations: { type: 'string', default: '50' },
    seed: { type: 'string', default: '1' },
  },
});
const { messages, rounds } = numbersFrom(1, { messages: values.messages, rounds: values.rounds });
const { terminations, seed } = numbersFrom(0, { terminations: values.terminations, seed: values.seed });
/** A deploy, a kill and a freeze with their pauses take about this long; the load lasts as long as the faults. */
const roundSeconds = 32;
/** Unknown hand-offs wait two minutes for their report; the watcher looks once a minute. */
const settleMsMax = 8 * 60_000;
/** Starting, and twice the load. */
const runMsMax = 10 * 60_000 + 2 * rounds * roundSeconds * 1_000 + settleMsMax;

async function soak(cleanup: Cleanup): Promise<number> {
  cleanup.add(mochaGlobalTeardown);
  await mochaGlobalSetup();
  const counterpart = await startTwilio();
  cleanup.add(() => counterpart.close());
  const service = await startService({ env: { ...twilioEnv(counterpart), LOG_LEVEL: 'silent' } });
  cleanup.add(() => service.stop());
  const carrier = openCarrier(counterpart);
  const load = await startLoad(service, { messages, seconds: rounds * roundSeconds });
  const faults = await runFaults(service, { rounds, terminations, random: randomOf(seed) }, say);
  say('The faults are over; waiting until every send is answered and every message has ended…');
  const sends = await load.ended;
  await until(async () => (await openMessages(service.db)) === 0, 'no message is open', settleMsMax).catch((error: Error) =>
    say(error.message),
  );
  await carrier.close();
  const verdict = await judge(service.db, counterpart, sends);
  for (const [what, count] of Object.entries({ ...faults, ...verdict.figures })) say(`${what.padEnd(60)} ${count}`);
  return sayVerdict(verdict.violations, 'nothing lost, handed off twice, charged twice, or declared failed though its report came');
}

await runToExit(runMsMax, soak);
