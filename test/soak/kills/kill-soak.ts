/** `npm run bench:kill`: messages, or with `--batch` one batch (`--cancel`: cancelled in the middle), while API and worker are killed again and again; then nothing may be lost, charged twice or sent twice. */
import { parseArgs } from 'node:util';
import { connect } from '../../../models/db/database.js';
import { workflowTypes } from '../../../workflows/contract.js';
import { messageWorkflows, untilNoneRuns } from '../../../harness/measure/open-workflows.js';
import { type Cleanup, runToExit } from '../../../harness/stage/cleanup.js';
import { createSender } from '../../../harness/load/sender.js';
import { startKiller } from './soak-killer.js';
import { countFigures, findViolations } from './soak-checks.js';
import { sendInBatch } from './soak-batch.js';
import { sendAll } from '../../../harness/load/soak-sends.js';
import { openSubscriber, openWorkbench } from '../../../harness/stage/workbench.js';
import { say, sayVerdict } from '../../../harness/report/say.js';

const runMsMax = 15 * 60_000;
const killEveryMs = 7_000;
/** API and worker together at least twenty times, as long as the batch lasts. */
const batchKillsMaxOfPart = 12;
/** The launcher waits up to 30 s before it starts a part again that died often; then the work that lay there is done. */
const settleMsMax = 240_000;
/** A delivery that a kill cut off is tried again soon. */
const retryDelays = '1,1,2,5,10,30,60';

interface Soak {
  messages: number;
  clients: number;
  /** All messages in one batch, whose acceptance is struck too. */
  batch: boolean;
  /** The batch is cancelled when half of it was handed off. */
  cancel: boolean;
}

async function run(soak: Soak, cleanup: Cleanup): Promise<number> {
  say('Starting a service of its own…');
  const bench = await openWorkbench({ WEBHOOK_RETRY_DELAYS: retryDelays }, cleanup);
  const apiKey = await openSubscriber(bench);

  const db = connect(bench.service.databaseUrl, 2);
  cleanup.add(() => db.close());
  say(`Sending ${soak.messages} messages; every ${killEveryMs / 1000} s API, worker or both are killed…`);
  const killer = startKiller(bench.service, killEveryMs, cleanup, soak.batch ? batchKillsMaxOfPart : undefined);
  const sender = createSender(bench.service.baseUrl, apiKey);
  const sends = await (soak.batch
    ? sendInBatch(sender, db, { recipients: soak.messages, strike: () => killer.strike('API'), cancels: soak.cancel })
    : sendAll(sender, soak.messages, soak.clients));
  killer.stop();
  say('All are answered; waiting until everything is settled…');
  const workflows = [...messageWorkflows, workflowTypes.sendBatch];
  await untilNoneRuns(bench.client, workflows, settleMsMax).catch((error: Error) => sends.violations.push(error.message));

  const violations = [...sends.violations, ...(await findViolations(db, bench.receiver, sends.messageIds, soak.cancel))];
  const { received, repeatedHandoffs } = await countFigures(db, bench.receiver);
  const kills = [...killer.kills].map(([name, count]) => `${name} ${count}`).join(', ');
  say(
    '',
    `kills                     ${kills}`,
    `messages answered 201     ${sends.messageIds.size} in ${sends.seconds.toFixed(0)} s, ${sends.retries} calls repeated with their key`,
    `events received           ${received.all}: ${received.distinct} distinct, ${received.all - received.distinct} duplicates`,
    `provider calls repeated   ${repeatedHandoffs} (same key: the provider took each message once)`,
    '',
  );
  return sayVerdict(violations, 'nothing lost, charged twice, handed off twice or without its events; the books balance');
}

const { values } = parseArgs({
  options: {
    messages: { type: 'string' },
    clients: { type: 'string', default: '16' },
    batch: { type: 'boolean', default: false },
    cancel: { type: 'boolean', default: false },
  },
});
const [messages, clients] = [Number(values.messages ?? (values.batch || values.cancel ? 10_000 : 1_000)), Number(values.clients)];
if (!(messages > 0 && clients > 0)) throw new Error('--messages and --clients must be positive numbers');
await runToExit(runMsMax, (cleanup) => run({ messages, clients, batch: values.batch || values.cancel, cancel: values.cancel }, cleanup));
