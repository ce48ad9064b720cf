/**
 * `npm run bench:observe`: what metrics and traces cost. Three services run side by side and get the same sends in turn: one without metrics, one
 * with metrics that are scraped, and one with metrics and 10 % of all traces. Their order changes with each round, and they are started anew several
 * times: the order of the start and the layout of a heap change the CPU time of a process by more than the metrics do.
 */
import { createServer } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { createSender, type Sender } from '../../harness/load/sender.js';
import { steadySends } from '../../harness/load/steady-sends.js';
import { atMost, type Line } from '../../harness/measure/figures.js';
import { usageOf } from '../../harness/measure/process-usage.js';
import { Cleanup, runToExit } from '../../harness/stage/cleanup.js';
import { openSubscriber, openWorkbench, pidOf, type Workbench } from '../../harness/stage/workbench.js';
import { say, sayReport } from '../../harness/report/say.js';
import { freePort } from '../../models/network/free-port.js';
import { workerMetricsPort } from '../../models/settings/operator-settings.js';

const runMsMax = 60 * 60_000;
const scrapeEveryMs = 15_000;
/** The most that a variant may need beyond the one before it: percent of one core, and MB. */
const targets = { metricsCpu: 1, metricsMb: 10, tracesCpu: 3 };
/** Work of a pass may end after it. */
const settleMs = 3_000;

const parts = ['API', 'worker'] as const;
type Part = (typeof parts)[number];
const ofBoth = <Value>(of: (part: Part) => Value) => Object.fromEntries(parts.map((part) => [part, of(part)])) as Record<Part, Value>;

const variants = ['no metrics', 'metrics', 'metrics and traces'] as const;
type Variant = (typeof variants)[number];
const ofEach = <Value>(of: (variant: Variant) => Value) =>
  Object.fromEntries(variants.map((variant) => [variant, of(variant)])) as Record<Variant, Value>;

/** What a variant needed in each pass. */
interface Needs {
  /** Percent of one core. */
  cpu: Record<Part, number[]>;
  /** At the end of the pass. */
  rssMb: Record<Part, number[]>;
}

interface Started {
  bench: Workbench;
  sender: Sender;
}

type Numbers = Record<'starts' | 'rounds' | 'seconds' | 'rate', number>;

async function run({ starts, ...load }: Numbers, cleanup: Cleanup): Promise<number> {
  const needs = ofEach((): Needs => ({ cpu: ofBoth(() => []), rssMb: ofBoth(() => []) }));
  for (let start = 1; start <= starts; start += 1) {
    const ofStart = new Cleanup();
    cleanup.add((hasFailed) => ofStart.run(hasFailed));
    await measureOneStart(needs, { ...load, start }, ofStart);
    await ofStart.run(false);
  }
  return sayReport(
    '',
    ...verdicts('metrics', needs['no metrics'], needs.metrics, starts),
    ...verdicts('traces', needs.metrics, needs['metrics and traces'], starts),
  );
}

async function measureOneStart(
  needs: Record<Variant, Needs>,
  { start, rounds, seconds, rate }: Omit<Numbers, 'starts'> & { start: number },
  cleanup: Cleanup,
): Promise<void> {
  const collector = await startCollector(cleanup);
  const envOf: Record<Variant, () => Promise<NodeJS.ProcessEnv> | NodeJS.ProcessEnv> = {
    'no metrics': () => ({ NODE_OPTIONS: `--import=${withoutMetrics}`, METRICS_PORT: '0' }),
    metrics: () => scraped(cleanup),
    'metrics and traces': async () => ({ ...(await scraped(cleanup)), ...tenthOfTraces(collector) }),
  };
  const started = new Map<Variant, Started>();
  for (const variant of inTurn(start)) started.set(variant, await startVariant(await envOf[variant](), cleanup));
  for (const { sender } of started.values()) await steadySends(sender, seconds, rate); // warm-up
  for (let round = 1; round <= rounds; round += 1) {
    for (const variant of inTurn(start + round)) await measure(started.get(variant) as Started, needs[variant], seconds, rate);
    const figures = variants.map((variant) => `${variant} ${formatCpu(ofBoth((part) => needs[variant].cpu[part].at(-1) ?? 0))}`);
    say(`start ${start}, round ${round}: ${figures.join('; ')}`);
  }
}

/** The variants in another order for each turn. */
function inTurn(turn: number): Variant[] {
  const first = turn % variants.length;
  return [...variants.slice(first), ...variants.slice(0, first)];
}

const withoutMetrics = join(import.meta.dirname, '../../harness/measure/no-metrics-preload.js');

async function startVariant(env: NodeJS.ProcessEnv, cleanup: Cleanup): Promise<Started> {
  const bench = await openWorkbench(env, cleanup);
  return { bench, sender: createSender(bench.service.baseUrl, await openSubscriber(bench)) };
}

async function measure({ bench, sender }: Started, { cpu, rssMb }: Needs, seconds: number, rate: number): Promise<void> {
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

/** What the second variant needs more than the first. */
function verdicts(what: 'metrics' | 'traces', first: Needs, second: Needs, starts: number): Line[] {
  return parts.flatMap((part) => {
    const line = (figure: 'cpu' | 'rssMb', unit: string, bound: number, digits: number): Line => {
      const { mean, standardError } = moreOf(first[figure][part], second[figure][part], starts);
      const { text, isMet } = atMost(`${what}, ${part}, ${unit}`, mean, bound, digits);
      return { text: `${text}   ± ${standardError.toFixed(2)}`, isMet };
    };
    if (what === 'traces') return [line('cpu', '% of a core', targets.tracesCpu, 2)];
    return [line('cpu', '% of a core', targets.metricsCpu, 2), line('rssMb', 'MB', targets.metricsMb, 0)];
  });
}

interface More {
  mean: number;
  /** Of the mean. */
  standardError: number;
}

/** The mean over the starts, with the standard error between them: rounds of one start are alike. */
function moreOf(first: readonly number[], second: readonly number[], starts: number): More {
  const differences = second.map((value, pass) => value - (first[pass] ?? 0));
  const rounds = differences.length / starts;
  const means = Array.from({ length: starts }, (_, start) => meanOf(differences.slice(start * rounds, (start + 1) * rounds)));
  const mean = meanOf(means);
  const squares = sumOf(means.map((each) => (each - mean) ** 2));
  return { mean, standardError: Math.sqrt(squares / Math.max(1, starts - 1) / starts) };
}

const meanOf = (values: readonly number[]) => sumOf(values) / values.length;
const sumOf = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0);

const formatCpu = (cpu: Record<Part, number>) => parts.map((part) => `${part} ${cpu[part].toFixed(1)} %`).join(', ');

/** A port for the metrics of an API, and the next one for those of its worker: both are read as Prometheus would. */
async function scraped(cleanup: Cleanup): Promise<NodeJS.ProcessEnv> {
  const port = await freePort();
  const read = (at: number) => fetch(`http://127.0.0.1:${at}/metrics`).then((page) => page.text());
  const timer = setInterval(() => void Promise.all([read(port), read(workerMetricsPort(port))]).catch(() => undefined), scrapeEveryMs);
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

const numbers = { starts: '6', rounds: '3', seconds: '15', rate: '30' } as const;
const { values } = parseArgs({
  options: Object.fromEntries(Object.entries(numbers).map(([name, value]) => [name, { type: 'string' as const, default: value }])),
});
const given = Object.fromEntries(Object.keys(numbers).map((name) => [name, Number(values[name])])) as Numbers;
if (!Object.values(given).every((number) => number > 0))
  throw new Error('--starts, --rounds, --seconds and --rate must be positive numbers');
await runToExit(runMsMax, (cleanup) => run(given, cleanup));
