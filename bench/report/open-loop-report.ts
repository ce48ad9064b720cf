/** Formats the results of the open loop. */
import type { OpenLoop } from '../cases/open-loop.js';
import type { Percentiles } from '../../harness/measure/pass.js';
import { partNames } from '../../harness/stage/service.js';
import { changeOf, percentileCell, tableLines } from '../../harness/measure/figures.js';

/** A table with one column per rate. */
export function openLoopLines(rates: readonly OpenLoop[]): string[] {
  if (rates.length === 0) return [];
  const row = (name: string, of: (rate: OpenLoop) => string) => [name, ...rates.map(of)];
  const times = (name: string, of: (rate: OpenLoop) => Percentiles) => row(name, (rate) => percentileCell(of(rate)));
  return [
    'f open loop: sends arrive at a fixed rate; p50 / p95 / p99 ms of those accepted, from when each was due',
    '',
    ...tableLines([
      row('', ({ per_second }) => `${per_second}/s`),
      row('sends', ({ sends }) => String(sends)),
      row('refused with 503', ({ statuses }) => String(statuses[503] ?? 0)),
      row('neither 201 nor 503', ({ statuses }) => othersOf(statuses)),
      times('sent late by the bench', ({ late_ms }) => late_ms),
      times('accepted (201)', ({ accept_ms }) => accept_ms),
      times('handed off', ({ handed_off_ms }) => handed_off_ms),
      times('  message.sent received', ({ handoff_event_received_ms }) => handoff_event_received_ms),
      times('delivered', ({ delivered_ms }) => delivered_ms),
      times('  message.delivered received', ({ done_ms }) => done_ms),
      row('CPU ms/message, all', (rate) => cpuOf(rate).toFixed(1)),
      row('CPU of others, share', ({ others_cpu_share }) => `${(others_cpu_share * 100).toFixed(0)} %`),
    ]),
  ];
}

/** The changes since an earlier run, for the rates that both have. */
export function openLoopChanges(now: readonly OpenLoop[], then: readonly OpenLoop[]): string[] {
  return now.flatMap((rate) => {
    const before = then.find(({ per_second }) => per_second === rate.per_second);
    if (before === undefined) return [];
    const accepted = `accepted p50 ${changeOf(rate.accept_ms.p50, before.accept_ms.p50)}`;
    const received = `message.delivered received p50 ${changeOf(rate.done_ms.p50, before.done_ms.p50)}, p99 ${changeOf(rate.done_ms.p99, before.done_ms.p99)}`;
    return [`  f  ${rate.per_second}/s  ${accepted}, ${received} ms`];
  });
}

const cpuOf = ({ cpu_ms_per_message: cpu }: OpenLoop) => partNames.reduce((sum, part) => sum + cpu[part], 0);

const othersOf = (statuses: OpenLoop['statuses']) =>
  Object.entries(statuses)
    .filter(([status]) => status !== '201' && status !== '503')
    .map(([status, count]) => `${count} × ${status === '0' ? 'none' : status}`)
    .join(', ') || '0';
