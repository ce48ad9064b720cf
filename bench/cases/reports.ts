/** The cost of a real adapter compared with the sandbox, and the rate of reports that the service accepts beside sends. */
import { setTimeout as sleep } from 'node:timers/promises';
import { connect, select } from '../../models/db/database.js';
import { openAccount } from '../../harness/load/account.js';
import { type Carrier, startCarrier } from '../../harness/load/carrier.js';
import type { Reported } from '../../harness/load/carrier-process.js';
import { Cleanup } from '../../harness/stage/cleanup.js';
import { prepareSteadySends } from '../../harness/load/sends.js';
import { profiled, profilingEnvironment } from '../../harness/measure/profile.js';
import { type Usage, usageOf } from '../../harness/measure/process-usage.js';
import { batchIdOf, createSender } from '../../harness/load/sender.js';
import type { PartName } from '../../harness/stage/service.js';
import type { SteadySends } from '../../harness/load/steady-sends.js';
import { openWorkbench, servicePids, type Workbench } from '../../harness/stage/workbench.js';

/** CPU per item in milliseconds, by part. */
export type CpuMs = Record<PartName, number>;

export interface ReportFigures {
  messages: number;
  handoff_cpu_ms: { sandbox: CpuMs; adapter: CpuMs };
  reports: Reported;
  /** CPU per report, including its share of the concurrent sends, until the service was idle. */
  report_cpu_ms: CpuMs;
  /** The concurrent sends and their responses. */
  sends: SteadySends;
  /** Messages whose reports were all applied when the service was idle after the last response. */
  delivered: number;
}

/** A recipient without sandbox reports, so that only hand-offs are measured. */
const silent = '+15005550002';
/** The number of batches. The reports of five batches of a thousand messages take 20 seconds. */
const rounds = 5;
const perSecond = 500;
const sendsPerSecond = 10;
const handedOffMsMax = 120_000;
/** The time for work after the last hand-off: events and the end of the page workflow. */
const settleMs = 3_000;

/** Measures with separate services, one after the other. With a folder, also records CPU profiles of API and worker during the reports. */
export async function measureReports(messages: number, say: (line: string) => void, profileDir?: string): Promise<ReportFigures> {
  say('Handing off to the sandbox…');
  const sandbox = await apart(async (cleanup) => handOffAll(await openWorkbench({}, cleanup), messages));
  say('Handing off to a carrier over HTTP…');
  return apart(async (cleanup) => {
    const carrier = await startCarrier(cleanup);
    const env = profileDir === undefined ? {} : profilingEnvironment(profileDir);
    const bench = await openWorkbench({ PROVIDER_SMS: 'twilio', ...carrier.env, ...env }, cleanup);
    const adapter = await handOffAll(bench, messages);
    say(`Reporting ${perSecond} times a second while sending goes on…`);
    const { apiKey } = await openAccount(bench.service.baseUrl, bench.service.databaseUrl);
    const seconds = Math.floor((2 * rounds * messages) / perSecond);
    const sends = (await prepareSteadySends({ baseUrl: bench.service.baseUrl, apiKey, seconds, perSecond: sendsPerSecond }, cleanup))();
    const pids = servicePids(bench);
    const before = usageOf(pids);
    const reports = await (profileDir === undefined ? carrier.report(perSecond) : profiledReport(bench, carrier, profileDir, say));
    await sleep(settleMs);
    const report_cpu_ms = perUnit(before, usageOf(pids), reports.reports);
    return {
      messages,
      handoff_cpu_ms: { sandbox, adapter },
      reports,
      report_cpu_ms,
      sends: await sends,
      delivered: await countOf(bench, 'delivered'),
    };
  });
}

async function profiledReport(bench: Workbench, carrier: Carrier, folder: string, say: (line: string) => void): Promise<Reported> {
  const { result, lines } = await profiled(bench, folder, async () => {
    const reported = await carrier.report(perSecond);
    return { reported, sent: Array.from({ length: reported.reports }) };
  });
  say(lines.join('\n'));
  return result.reported;
}

/** Runs the work with its own clean-up, because two services at the same time would share the CPU cores. */
async function apart<Result>(work: (cleanup: Cleanup) => Promise<Result>): Promise<Result> {
  const cleanup = new Cleanup();
  let hasFailed = true;
  try {
    const result = await work(cleanup);
    hasFailed = false;
    return result;
  } finally {
    await cleanup.run(hasFailed);
  }
}

/** Sends batches of this many messages. The first is a warm-up and is not counted. */
async function handOffAll(bench: Workbench, messages: number): Promise<CpuMs> {
  const { apiKey } = await openAccount(bench.service.baseUrl, bench.service.databaseUrl);
  const sender = createSender(bench.service.baseUrl, apiKey);
  const pids = servicePids(bench);
  let before = usageOf(pids);
  for (let round = 0; round < rounds; round += 1) {
    if (round === 1) before = usageOf(pids);
    batchIdOf(
      await sender.postBatch({
        channel: 'sms',
        content: { text: 'Hello' },
        recipients: Array.from({ length: messages }, () => silent),
        allow_duplicates: true,
      }),
    );
    await untilHandedOff(bench, (round + 1) * messages);
    await sleep(settleMs);
  }
  return perUnit(before, usageOf(pids), (rounds - 1) * messages);
}

function perUnit(before: Record<PartName, Usage>, after: Record<PartName, Usage>, units: number): CpuMs {
  const each = (part: PartName) => (after[part].cpuMs - before[part].cpuMs) / units;
  return { API: each('API'), worker: each('worker'), Temporal: each('Temporal'), PostgreSQL: each('PostgreSQL') };
}

async function untilHandedOff(bench: Workbench, messages: number): Promise<void> {
  const until = performance.now() + handedOffMsMax;
  while ((await countOf(bench, 'sent')) < messages) {
    if (performance.now() > until) throw new Error(`not handed off after ${handedOffMsMax / 1000} s`);
    await sleep(200);
  }
}

async function countOf({ service }: Workbench, status: string): Promise<number> {
  const db = connect(service.databaseUrl, 1);
  const [row] = await select<{ count: number }>(db, 'SELECT count(*) AS count FROM messages WHERE status = $1', [status]);
  await db.close();
  return row?.count ?? 0;
}
