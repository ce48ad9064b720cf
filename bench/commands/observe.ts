/**
 * `npm run bench:observe`: what metrics and traces cost. Three services run side by side and get the same sends in turn: one without metrics, one
 * with metrics that are scraped, and one with metrics and 10 % of all traces.
 */
import { createServer } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { createSender, type Sender } from '../../harness/load/sender.js';
import { steadySends } from '../../harness/load/steady-sends.js';
import { atMost } from '../../harness/measure/figures.js';
import { percentiles } from '../../harness/measure/pass.js';
import { usageOf } from '../../harness/measure/process-usage.js';
import { type Cleanup, runToExit } from '../../harness/stage/cleanup.js';
import { openSubscriber, openWorkbench, pidOf, type Workbench } from '../../harness/stage/workbench.js';
import { freePort } from '../../models/process/free-port.js';

const say = (...lines: string[]) => process.stdout.write(`${lines.join('\n')}\n`);
const runMsMax = 40 * 60_000;
const scrapeEveryMs = 15_000;
/** The most that a variant may need beyond the one before it: percent of one core, and MB. */
const targets = { metricsCpu: 1, metricsMb: 10, tracesCpu: 3 };
/** Work of a pass may end after it. */
const settleMs = 3_000;

const parts = ['API', 'worker'] as const;
type Part = (typeof parts)[number];
const ofBoth = <Value>(of: (part: Part) => Value) => Object.fromEntries(parts.map((part) => [part, of(part)])) as Record<Part, Value>;

interface Variant {
  name: string;
  bench: Workbench;
  sender: Sender;
  /** Of each pass: percent of one core. */
  cpu: Record<Part, number[]>;
  /** Of each pass: at its end. */
  rssMb: Record<Part, number[]>;
}

async function run({ rounds, seconds, rate }: Record<'rounds' | 'seconds' | 'rate', number>, cleanup: Cleanup): Promise<number> {
  const collector = await startCollector(cleanup);
  const variants = [
    await startVariant('no metrics', { NODE_OPTIONS: `--import=${withoutMetrics}`, METRICS_PORT: '0' }, cleanup),
    await startVariant('metrics', await scraped(cleanup), cleanup),
    await startVariant('metrics and traces', { ...(await scraped(cleanup)), ...tenthOfTraces(collector) }, cleanup),
  ];
  for (const { sender } of variants) await steadySends(sender, seconds, rate); // warm-up
  for (let round = 1; round <= rounds; round += 1) {
    for (const variant of variants) await measure(variant, seconds, rate);
    say(`round ${round}: ${variants.map(({ name, cpu }) => `${name} ${toldCpu(ofBoth((part) => cpu[part].at(-1) ?? 0))}`).join('; ')}`);
  }
  const lines = variants.slice(1).flatMap((variant, index) => verdicts(variants[index] as Variant, variant));
  say('', ...lines);
  return lines.every((line) => line.startsWith('✓')) ? 0 : 1;
}

const withoutMetrics = join(import.meta.dirname, '../../harness/measure/no-metrics-preload.js');

async function startVariant(name: string, env: NodeJS.ProcessEnv, cleanup: Cleanup): Promise<Variant> {
  const bench = await openWorkbench(env, cleanup);
  const sender = createSender(bench.service.baseUrl, await openSubscriber(bench));
  return { name, bench, sender, cpu: ofBoth(() => []), rssMb: ofBoth(() => []) };
}

async function measure({ bench, sender, cpu, rssMb }: Variant, seconds: number, rate: number): Promise<void> {
  const pids = ofBoth((part) => pidOf(bench, part));
  const before = usageOf(pids);
  const startedAt = performance.now();
  const { failed } = await steadySends(sender, seconds, rate);
  if (failed > 0) throw new Error(`${failed} sends failed`);
  await sleep(settleMs);
  const [after, tookMs] = [usageOf(pids), performance.now() - startedAt];
  for (const part of parts) {
    cpu[part].push((100 * (after[part].cpuMs - before[part].cpuMs)) / tookMs);
    rssMb[part].push(after[part].rssMb);
  }
}

/** What the second variant needs more than the first: the median of the rounds, whose passes follow each other. */
function verdicts(first: Variant, second: Variant): string[] {
  const isTraced = second.name.includes('traces');
  return parts.flatMap((part) => {
    const more = medianOf(second.cpu[part].map((value, round) => value - (first.cpu[part][round] ?? 0)));
    const moreMb = medianOf(second.rssMb[part]) - medianOf(first.rssMb[part]);
    const what = isTraced ? 'traces' : 'metrics';
    const cpu = atMost(`${what}, ${part}, % of a core`, more, isTraced ? targets.tracesCpu : targets.metricsCpu);
    return isTraced ? [cpu] : [cpu, atMost(`${what}, ${part}, MB`, moreMb, targets.metricsMb, 0)];
  });
}

const medianOf = (values: number[]) => percentiles(values).p50;

const toldCpu = (cpu: Record<Part, number>) => parts.map((part) => `${part} ${cpu[part].toFixed(1)} %`).join(', ');

/** A port for the metrics of an API, and the next one for those of its worker: both are read as Prometheus would. */
async function scraped(cleanup: Cleanup): Promise<NodeJS.ProcessEnv> {
  const port = await freePort();
  const read = (at: number) => fetch(`http://127.0.0.1:${at}/metrics`).then((page) => page.text());
  const timer = setInterval(() => void Promise.all([read(port), read(port + 1)]).catch(() => undefined), scrapeEveryMs);
  cleanup.add(() => clearInterval(timer));
  return { METRICS_PORT: String(port) };
}

const tenthOfTraces = (endpoint: string) => ({
  OTEL_EXPORTER_OTLP_ENDPOINT: endpoint,
  OTEL_TRACES_SAMPLER: 'parentbased_traceidratio',
  OTEL_TRACES_SAMPLER_ARG: '0.1',
});

/** Takes traces and forgets them. */
async function startCollector(cleanup: Cleanup): Promise<string> {
  const server = createServer((req, res) =>
    req.resume().on('end', () => res.writeHead(200, { 'Content-Type': 'application/x-protobuf' }).end()),
  );
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  cleanup.add(() => {
    server.close();
    server.closeAllConnections();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const numbers = { rounds: '6', seconds: '30', rate: '30' } as const;
const { values } = parseArgs({
  options: Object.fromEntries(Object.entries(numbers).map(([name, value]) => [name, { type: 'string' as const, default: value }])),
});
const [rounds, seconds, rate] = [Number(values.rounds), Number(values.seconds), Number(values.rate)];
if (!(rounds > 0 && seconds > 0 && rate > 0)) throw new Error('--rounds, --seconds and --rate must be positive numbers');
await runToExit(runMsMax, (cleanup) => run({ rounds, seconds, rate }, cleanup));
