/** `npm run soak:alerts`: many messages through a healthy service. No alert of deploy/prometheus may fire. Prometheus must be on the PATH. */
import { parseArgs } from 'node:util';
import { openSends } from '../../../harness/load/open-sends.js';
import { batchIdOf, createSender, type Sender } from '../../../harness/load/sender.js';
import { timetable } from '../../../harness/load/timetable.js';
import { messageWorkflows, untilNoneRuns } from '../../../harness/measure/open-workflows.js';
import { type Cleanup, runToExit } from '../../../harness/stage/cleanup.js';
import { openSubscriber, openWorkbench } from '../../../harness/stage/workbench.js';
import { say, sayVerdict } from '../../../harness/report/say.js';
import { connect, select } from '../../../models/db/database.js';
import { freePort } from '../../support/network/free-port.js';
import { workerMetricsPort } from '../../../models/settings/operator-settings.js';
import { workflowTypes } from '../../../workflows/contract.js';
import { textOf } from '../../deploy/project.js';
import { hasPrometheus, ruleFiles } from '../../deploy/prometheus-rules.js';
import { startPrometheus } from '../../support/prometheus.js';

const runMsMax = 40 * 60_000;
const settleMsMax = 10 * 60_000;
/** A batch is no larger than a request may be. */
const recipientsMax = 10_000;

interface Soak {
  /** Of which a fifth are single sends. */
  messages: number;
  /** Single sends a second. */
  rate: number;
}

async function run({ messages, rate }: Soak, cleanup: Cleanup): Promise<number> {
  if (!hasPrometheus) throw new Error('install Prometheus');
  const port = await freePort();
  const bench = await openWorkbench({ METRICS_PORT: String(port) }, cleanup);
  const apiKey = await openSubscriber(bench);
  const prometheus = await startPrometheus(
    { 'tidings-api': [port], 'tidings-worker': [workerMetricsPort(port)] },
    ruleFiles.map(textOf),
    true,
  );
  cleanup.add(() => prometheus.stop());
  const sender = createSender(bench.service.baseUrl, apiKey);
  const singles = Math.round(messages / 5);
  const seconds = singles / rate;
  say(`Sending ${singles} single messages in ${seconds.toFixed(0)} s, and ${messages - singles} in batches…`);
  const [sends] = await Promise.all([openSends(sender, seconds, rate), sendBatches(sender, messages - singles, seconds)]);
  await untilNoneRuns(bench.client, [...messageWorkflows, workflowTypes.sendBatch], settleMsMax);

  const refused = sends.filter(({ status }) => status !== 201).length;
  const delivered = await countDelivered(bench.service.databaseUrl);
  const [fired, waited] = [await prometheus.everIn('firing'), await prometheus.everIn('pending')];
  const violations = [
    ...(refused > 0 ? [`${refused} sends were refused`] : []),
    ...(delivered === messages ? [] : [`${delivered} of ${messages} messages were delivered`]),
    ...fired.map((name) => `${name} fired`),
  ];
  say(
    `messages delivered       ${delivered}`,
    `events received          ${bench.receiver.counts.received}`,
    `pages scraped            ${await prometheus.value('sum(count_over_time(up[1d]))')}`,
    `alerts that waited       ${waited.join(', ') || 'none'}`,
  );
  return sayVerdict(violations, 'no alert fired');
}

/** Sends batches of at most 10,000 recipients, evenly spaced. */
async function sendBatches(sender: Sender, messages: number, seconds: number): Promise<void> {
  const count = Math.ceil(messages / recipientsMax);
  for await (const { number } of timetable(seconds, count / seconds))
    batchIdOf(await sender.postBulk(Math.min(recipientsMax, messages - number * recipientsMax)));
}

async function countDelivered(databaseUrl: string): Promise<number> {
  const db = connect(databaseUrl, 1);
  try {
    const [row] = await select<{ count: number }>(db, `SELECT count(*)::int AS count FROM messages WHERE status = 'delivered'`);
    return row?.count ?? 0;
  } finally {
    await db.close();
  }
}

const { values } = parseArgs({ options: { messages: { type: 'string', default: '100000' }, rate: { type: 'string', default: '40' } } });
const [messages, rate] = [Number(values.messages), Number(values.rate)];
if (!(messages > 0 && rate > 0)) throw new Error('--messages and --rate must be positive numbers');
await runToExit(runMsMax, (cleanup) => run({ messages, rate }, cleanup));
