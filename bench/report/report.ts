/** Formats the results of a run. */
import { atLeast, atMost, changeOf, type Line, percentileCell, tableLines } from '../../harness/measure/figures.js';
import { growthChanges, growthLines } from '../../harness/measure/growth.js';
import { openLoopChanges, openLoopLines } from './open-loop-report.js';
import type { CaseResult } from '../../harness/measure/pass.js';
import type { Isolation } from '../cases/isolation.js';
import { type ColumnKey, columnKeys } from '../cases/measured-case.js';
import type { CpuMs, ReportFigures } from '../cases/reports.js';
import type { Results } from './results.js';
import { partNames } from '../../harness/stage/service.js';

/** The targets of the figures. */
const targets = {
  singleToBare: 0.7,
  webhookToSingle: 0.6,
  acceptToBare: 1.5,
  batchToSingle: 10,
  sharedToPlain: 5,
  sharedDoneToPlain: 1,
  acceptToPlain: 1.1,
  batchPerSecond: 200,
  batchAcceptMs: 5_000,
  isolation: 2,
  adapterCpuMs: 2,
  reportsPerSecond: 490,
  reportMs: 50,
};

/** Table, ratios and comparison, line by line. */
export function reportLines(results: Results, previous: Results | undefined): Line[] {
  const parts: Line[][] = [
    environmentLines(results),
    caseLines(results),
    ratioLines(results),
    openLoopLines(results.open_loop ?? []),
    comparisonLines(results, previous),
  ];
  return parts.filter((lines) => lines.length > 0).flatMap((lines, index) => (index === 0 ? lines : ['', ...lines]));
}

function environmentLines({ environment: { cores, cpu, memory_mb, load_before, node, postgres, temporal, commit } }: Results): string[] {
  const busy = load_before > 0.5 ? ` (busy: load ${load_before.toFixed(1)} before the run, so the figures are noisy)` : '';
  return [`${cores} cores ${cpu}, ${memory_mb} MB${busy}`, `Node ${node}, PostgreSQL ${postgres}, Temporal ${temporal}, commit ${commit}`];
}

function caseLines({ cases, alone_accept_ms: alone }: Results): string[] {
  const keys = columnKeys.filter((key) => cases[key] !== undefined);
  if (keys.length === 0) return [];
  const row = (name: string, of: (result: CaseResult, key: ColumnKey) => string) => [
    name,
    ...keys.map((key) => of(cases[key] as CaseResult, key)),
  ];
  const rows = [
    row('', ({ title }, key) => `${key} ${title}`),
    row('messages', ({ messages }) => String(messages)),
    row('messages/s', ({ messages_per_second }) => messages_per_second.toFixed(1)),
    row('accept p50/p95/p99 ms', ({ accept_ms }) => percentileCell(accept_ms)),
    row('accept, one client', (_, key) => percentileCell(alone[key])),
    row('done p50/p95/p99 ms', ({ done_ms }) => percentileCell(done_ms)),
    ...partNames.map((part) => row(`CPU ms/message ${part}`, ({ cpu_ms_per_message }) => cpu_ms_per_message[part].toFixed(1))),
    row('CPU ms/message, all', (result) => cpuOf(result).toFixed(1)),
    row('CPU of others, share', ({ others_cpu_share }) => `${(others_cpu_share * 100).toFixed(0)} %`),
    // In case a the bench takes the place of the API, and its memory is not meaningful.
    ...partNames.map((part) => row(`RSS MB ${part}`, ({ rss_mb }, key) => (key === 'a' && part === 'API' ? '–' : rss_mb[part].toFixed(0)))),
  ];
  return tableLines(rows);
}

const cpuOf = ({ cpu_ms_per_message: cpu }: CaseResult) => partNames.reduce((sum, part) => sum + cpu[part], 0);

function ratioLines({ cases: { a, p, b, c, d3, d10 }, alone_accept_ms: alone, isolation, options }: Results): Line[] {
  return [
    ...(a && b ? [atLeast('b / a messages/s', b.messages_per_second / a.messages_per_second, targets.singleToBare)] : []),
    ...(b && c ? [atLeast('c / b messages/s', c.messages_per_second / b.messages_per_second, targets.webhookToSingle)] : []),
    // Throughput depends on other load on the machine. This ratio hardly does.
    ...(a && b ? [`  b / a by CPU                    ${(cpuOf(a) / cpuOf(b)).toFixed(2)}`] : []),
    ...(b && c ? [`  c / b by CPU                    ${(cpuOf(b) / cpuOf(c)).toFixed(2)}`] : []),
    ...(alone.a && alone.b ? [atMost('accept p50 b / a, one client', alone.b.p50 / alone.a.p50, targets.acceptToBare)] : []),
    ...(p && b ? sharingLines(p, b, options.clients) : []),
    ...(alone.p && alone.b ? [atMost('accept p50 b / p, one client', alone.b.p50 / alone.p.p50, targets.acceptToPlain)] : []),
    ...[d3, d10].flatMap((d) =>
      p && d ? [atLeast(`${d.title} / p messages/s`, d.messages_per_second / p.messages_per_second, targets.batchToSingle)] : [],
    ),
    ...[d3, d10].flatMap((d) =>
      b && d ? [`  ${d.title} / b messages/s`.padEnd(34) + (d.messages_per_second / b.messages_per_second).toFixed(2)] : [],
    ),
    ...[d3, d10].flatMap((d) => (d ? [atLeast(`${d.title}, messages/s`, d.messages_per_second, targets.batchPerSecond)] : [])),
    ...(d10 ? [atMost(`${d10.title}, accept ms`, d10.accept_ms.p50, targets.batchAcceptMs, 0)] : []),
    ...(isolation ? isolationLines(isolation) : []),
  ];
}

/** The gain of sharing a workflow between messages that arrive together. The target applies to many clients. */
function sharingLines(p: CaseResult, b: CaseResult, clients: number): Line[] {
  const ratio = b.messages_per_second / p.messages_per_second;
  if (clients < manyClients) return [`  b / p messages/s                ${ratio.toFixed(2)}`];
  return [
    atLeast('b / p messages/s', ratio, targets.sharedToPlain),
    atMost('done p50, b / p', b.done_ms.p50 / p.done_ms.p50, targets.sharedDoneToPlain),
  ];
}

const manyClients = 100;

function isolationLines({ recipients, accept_ms, single_done_ms: single, other_call_ms: other }: Isolation): Line[] {
  return [
    `  e: during a batch of ${recipients.toLocaleString('en')}, accepted in ${accept_ms.toFixed(0)} ms (p50/p95/p99 ms, idle → during):`,
    `     single send to delivered ${percentileCell(single.idle)} → ${percentileCell(single.during)}, other calls while it is accepted ${percentileCell(other.idle)} → ${percentileCell(other.during)}`,
    atMost('single delivered p95, / idle', single.during.p95 / single.idle.p95, targets.isolation),
    atMost('other calls p95, / idle', other.during.p95 / other.idle.p95, targets.isolation),
  ];
}

/** The growth of memory and disk in a soak, and the changes since the last soak of the same size. */
export function soakLines(results: Results, previous: Results | undefined): Line[] {
  const changes = growthChanges(results.soak ?? [], previous?.soak ?? []);
  const since = previous === undefined || changes.length === 0 ? [] : ['', sinceLine(previous), ...changes];
  return [...environmentLines(results), '', ...growthLines(results.soak ?? []), ...since];
}

/** The cost of a carrier's adapter, and the rate of its reports. */
export function reportFigureLines({
  handoff_cpu_ms: { sandbox, adapter },
  reports,
  report_cpu_ms,
  sends,
  messages,
  delivered,
}: ReportFigures): Line[] {
  const sumOf = (cpu: CpuMs) => partNames.reduce((sum, part) => sum + cpu[part], 0);
  const line = (name: string, cpu: CpuMs) =>
    `${name.padEnd(32)} ${sumOf(cpu).toFixed(2)}: ${partNames.map((part) => `${part} ${cpu[part].toFixed(2)}`).join(', ')}`;
  return [
    `batches of ${messages} messages, CPU ms a message until it is handed off:`,
    line('  sandbox', sandbox),
    line('  adapter over HTTP', adapter),
    atMost('adapter − sandbox, CPU ms', sumOf(adapter) - sumOf(sandbox), targets.adapterCpuMs),
    `${reports.reports} reports in ${reports.seconds.toFixed(1)} s, ${reports.failed} of them not answered 200; ${delivered} messages delivered`,
    atLeast('reports/s', reports.reports / reports.seconds, targets.reportsPerSecond),
    `  report p50/p95/p99 ms           ${percentileCell(reports)}`,
    line('  CPU ms a report', report_cpu_ms),
    atMost('report p95 ms', reports.p95, targets.reportMs),
    `  sends meanwhile p50/p95/p99 ms  ${percentileCell(sends)}, ${sends.accepted} of ${sends.sends} accepted`,
  ];
}

const sinceLine = ({ at, environment: { commit } }: Results) => `Since ${at} (${commit}):`;

function comparisonLines({ cases, open_loop }: Results, previous: Results | undefined): string[] {
  if (previous === undefined) return [];
  const lines = columnKeys.flatMap((key) => {
    const [now, then] = [cases[key], previous.cases[key]];
    if (now === undefined || then === undefined) return [];
    const rate = changeOf(now.messages_per_second, then.messages_per_second);
    return [`  ${key}  messages/s ${rate}, CPU ms/message ${changeOf(cpuOf(now), cpuOf(then))}`];
  });
  const changes = [...lines, ...openLoopChanges(open_loop ?? [], previous.open_loop ?? [])];
  return changes.length === 0 ? [] : [sinceLine(previous), ...changes];
}
