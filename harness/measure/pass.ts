/** Measured passes: sends many messages until they are done, and measures time, CPU and memory. */
import { availableParallelism } from 'node:os';
import type { Client } from '@temporalio/client';
import type { Load } from '../load/closed-loop.js';
import { untilNoneRuns } from './open-workflows.js';
import { othersCpuMs, type Pids, type Usage, usageOf } from './process-usage.js';
import type { PartName } from '../stage/service.js';

export interface Percentiles {
  p50: number;
  p95: number;
  p99: number;
}

/** The times of one message, in milliseconds since it was sent. */
export interface Sent {
  acceptMs: number;
  doneMs: number;
}

/** The stored result of one or several passes of a case. */
export interface CaseResult<Part extends string = PartName> {
  title: string;
  messages: number;
  seconds: number;
  messages_per_second: number;
  accept_ms: Percentiles;
  done_ms: Percentiles;
  cpu_ms_per_message: Record<Part, number>;
  /** The CPU of other programs, as a share of the machine. */
  others_cpu_share: number;
  rss_mb: Record<Part, number>;
}

/** The measurement of one pass. */
export interface Pass<Part extends string = PartName> {
  sent: Sent[];
  seconds: number;
  before: Record<Part, Usage>;
  after: Record<Part, Usage>;
  othersMs: number;
}

/** What a pass measures. */
export interface PassCase<Part extends string> {
  /** Sends messages and waits until they are done. */
  sendAll(load: Load): Promise<Sent[]>;
  /** The types of its workflows. */
  workflowTypes: readonly string[];
  /** The processes that do its work. */
  pids(): Record<Part, Pids>;
}

/** Sends the messages and waits until all their workflows have ended. Only finished messages count. */
export async function runPass<Part extends string>(item: PassCase<Part>, load: Load, client: Client): Promise<Pass<Part>> {
  const pids = item.pids();
  const before = usageOf(pids);
  const othersBefore = othersCpuMs();
  const startedAt = performance.now();
  const sent = await item.sendAll(load);
  await untilNoneRuns(client, item.workflowTypes);
  const seconds = (performance.now() - startedAt) / 1000;
  return { sent, seconds, before, after: usageOf(pids), othersMs: othersCpuMs() - othersBefore };
}

/** Combines the passes of a case. The memory is that after the last one. */
export function summarizePasses<Part extends string>(title: string, passes: readonly Pass<Part>[]): CaseResult<Part> {
  const sent = passes.flatMap((pass) => pass.sent);
  const seconds = passes.reduce((sum, pass) => sum + pass.seconds, 0);
  const cpuMs = (part: Part) => passes.reduce((sum, { before, after }) => sum + after[part].cpuMs - before[part].cpuMs, 0);
  const parts = Object.keys(passes[0]?.before ?? {}) as Part[];
  const ofEach = (of: (part: Part) => number) => Object.fromEntries(parts.map((part) => [part, of(part)])) as Record<Part, number>;
  const othersMs = passes.reduce((sum, pass) => sum + pass.othersMs, 0);
  return {
    title,
    messages: sent.length,
    seconds,
    messages_per_second: sent.length / seconds,
    accept_ms: percentiles(sent.map(({ acceptMs }) => acceptMs)),
    done_ms: percentiles(sent.map(({ doneMs }) => doneMs)),
    cpu_ms_per_message: ofEach((part) => cpuMs(part) / sent.length),
    others_cpu_share: Math.max(0, othersMs / 1000 / seconds / availableParallelism()),
    rss_mb: ofEach((part) => passes.at(-1)?.after[part].rssMb ?? 0),
  };
}

/** Nearest-rank percentiles. */
export function percentiles(values: number[]): Percentiles {
  const sorted = values.toSorted((a, b) => a - b);
  const at = (share: number) => sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? Number.NaN;
  return { p50: at(0.5), p95: at(0.95), p99: at(0.99) };
}
