/** `npm run bench:tenant`: the sends of one tenant beside a hostile tenant, and the memory of the API. */
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { openAccount } from '../../harness/load/account.js';
import { chosenBy } from '../../harness/report/only-option.js';
import { type Cleanup, runToExit } from '../../harness/stage/cleanup.js';
import { startHostile } from '../../harness/load/hostile.js';
import { type Answers, type AttackName, attackNames } from '../../harness/load/hostile-tenant.js';
import { usageOf } from '../../harness/measure/process-usage.js';
import { createSender } from '../../harness/load/sender.js';
import { eachPart, type PartName, type Service, startService } from '../../harness/stage/service.js';
import { temporaryFolder } from '../../harness/stage/temporary-folder.js';
import { type SteadySends, steadySends, formatLatency } from '../../harness/load/steady-sends.js';
import { numbersFrom } from '../../harness/report/number-options.js';
import { say, sayVerdict } from '../../harness/report/say.js';

const runMsMax = 10 * 60_000;
const slowerMax = 2;
const moreMbMax = 100;
const rssEveryMs = 250;

/** The default limits, except that the key of the other tenant may send continuously. */
const usualLimits = {
  RATE_LIMIT_API: '700/60',
  RATE_LIMIT_JWT: '200/60',
  RATE_LIMIT_BULK: '10/60',
  RATE_LIMIT_WORKSPACE: '1000/60',
  RATE_LIMIT_AUTH: '100/900',
  MAX_API_KEYS: '100',
  MAX_WEBHOOKS: '25',
  MAX_OPEN_BATCHES: '50',
};

interface Run {
  /** How long each of the two parts takes. */
  seconds: number;
  /** Sends of the other tenant per second, far below its limits. On two cores, 10 use more than one core also without the attack. */
  rate: number;
  only: readonly AttackName[];
}

async function run({ seconds, rate, only }: Run, cleanup: Cleanup): Promise<number> {
  const service = await startService(
    temporaryFolder('tenant', cleanup),
    { ...usualLimits, WEBHOOK_DNS_SERVERS: await silentDns(cleanup) },
    cleanup,
  );
  const { baseUrl, databaseUrl } = service;
  const sender = createSender(baseUrl, (await openAccount(baseUrl)).apiKey);
  // Warm-up. The first batch starts the bulk thread of the API, so that its memory does not count as caused by the attack.
  await sender.postBulk(10);
  await steadySends(sender, 5, rate);
  const idle = await measured(service, () => steadySends(sender, seconds, rate));
  const hostile = await startHostile({ baseUrl, databaseUrl, only, cleanup });
  const attacked = await measured(service, () => steadySends(sender, seconds, rate));
  const answers = await hostile.stop();
  const violations = violationsOf(idle, attacked);
  say(
    `idle                     ${formatLatency(idle.sends)}; API ${idle.rssMb.toFixed(0)} MB`,
    `under attack             ${formatLatency(attacked.sends)}; API ${attacked.rssMb.toFixed(0)} MB`,
    `5xx for the other tenant ${serverErrors(attacked.sends)}; answers ${[...attacked.sends.statuses].map((pair) => pair.join(' × ')).join(', ')}`,
    ...formatAnswers(answers),
    `CPU, idle                ${formatCpu(idle)}`,
    `CPU, under attack        ${formatCpu(attacked)}`,
  );
  return sayVerdict(violations);
}

interface Measured {
  sends: SteadySends;
  /** The maximum memory of the API. */
  rssMb: number;
  /** CPU milliseconds per second, by part. */
  cpu: Record<PartName, number>;
}

async function measured(service: Service, work: () => Promise<SteadySends>): Promise<Measured> {
  const pid = service.part('API')?.pid ?? 0;
  const pids = eachPart((part) => service.part(part)?.pid ?? 0);
  const [before, startedAt] = [usageOf(pids), performance.now()];
  let rssMb = 0;
  let isOver = false;
  const watching = (async () => {
    for (; !isOver; await sleep(rssEveryMs)) rssMb = Math.max(rssMb, usageOf({ API: pid }).API.rssMb);
  })();
  const sends = await work();
  isOver = true;
  await watching;
  const [after, seconds] = [usageOf(pids), (performance.now() - startedAt) / 1_000];
  return { sends, rssMb, cpu: eachPart((part) => (after[part].cpuMs - before[part].cpuMs) / seconds) };
}

const formatCpu = ({ cpu }: Measured) =>
  Object.entries(cpu)
    .map(([part, ms]) => `${part} ${ms.toFixed(0)} ms/s`)
    .join(', ');

const serverErrors = ({ statuses }: SteadySends) =>
  [...statuses].reduce((sum, [status, count]) => sum + (status === 0 || status >= 500 ? count : 0), 0);

function violationsOf(idle: Measured, attacked: Measured): string[] {
  const slower = attacked.sends.p95 / idle.sends.p95;
  const moreMb = attacked.rssMb - idle.rssMb;
  return [
    ...(serverErrors(attacked.sends) > 0 ? [`${serverErrors(attacked.sends)} sends of the other tenant failed`] : []),
    ...(attacked.sends.failed > serverErrors(attacked.sends) ? ['sends of the other tenant were refused'] : []),
    ...(slower > slowerMax ? [`p95 is ${slower.toFixed(1)} times that of an idle service`] : []),
    ...(moreMb > moreMbMax ? [`the API has ${moreMb.toFixed(0)} MB more`] : []),
  ];
}

const formatAnswers = (answers: Answers) =>
  [...answers].map(([what, counts]) => {
    const summary = [...counts].map(([status, count]) => `${count} × ${status === 0 ? 'none' : status}`).join(', ');
    return `  ${what.padEnd(23)}${summary}`;
  });

/** A DNS server that never answers. */
async function silentDns(cleanup: Cleanup): Promise<string> {
  const socket = createSocket('udp4');
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  cleanup.add(() => void socket.close());
  return `127.0.0.1:${socket.address().port}`;
}

const { values } = parseArgs({
  options: { seconds: { type: 'string', default: '60' }, rate: { type: 'string', default: '10' }, only: { type: 'string', default: '' } },
});
const numbers = numbersFrom(1, { seconds: values.seconds, rate: values.rate });
await runToExit(runMsMax, (cleanup) => {
  const only = chosenBy(values.only, attackNames, (name) => name);
  return run({ ...numbers, only }, cleanup);
});
