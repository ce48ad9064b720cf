/** One case: how a message is sent to its end, and one measured pass of many. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from '@temporalio/client';
import type { CaseKey } from './options.js';
import { usageOf } from './process-usage.js';
import type { PartName } from './service.js';

/** How one message fared, in milliseconds since it was sent. */
export interface Sent {
  acceptMs: number;
  doneMs: number;
}

export interface MeasuredCase {
  key: CaseKey;
  title: string;
  send(): Promise<Sent>;
  /** Types of its workflows. */
  workflowTypes: readonly string[];
  /** The processes that do its work. */
  pids(): Record<PartName, number>;
}

export interface Percentiles {
  p50: number;
  p95: number;
  p99: number;
}

export interface CaseResult {
  title: string;
  messages: number;
  seconds: number;
  messages_per_second: number;
  accept_ms: Percentiles;
  done_ms: Percentiles;
  cpu_ms_per_message: Record<PartName, number>;
  rss_mb: Record<PartName, number>;
}

export interface Load {
  messages: number;
  clients: number;
  secondsMax: number;
}

const settleMsMax = 60_000;

/** Sends the messages and waits for the end of everything they started. Only what is done by then counts. */
export async function runPass(item: MeasuredCase, load: Load, client: Client): Promise<CaseResult> {
  const before = usageOf(item.pids());
  const startedAt = performance.now();
  const sent = await closedLoop(() => item.send(), load);
  await untilNoneRuns(client, item.workflowTypes);
  const seconds = (performance.now() - startedAt) / 1000;
  const after = usageOf(item.pids());
  const each = <Value>(of: (name: PartName) => Value) => Object.fromEntries(Object.keys(after).map((name) => [name, of(name as PartName)])) as Record<PartName, Value>;
  return {
    title: item.title,
    messages: sent.length,
    seconds,
    messages_per_second: sent.length / seconds,
    accept_ms: percentiles(sent.map(({ acceptMs }) => acceptMs)),
    done_ms: percentiles(sent.map(({ doneMs }) => doneMs)),
    cpu_ms_per_message: each((name) => (after[name].cpuMs - before[name].cpuMs) / sent.length),
    rss_mb: each((name) => after[name].rssMb),
  };
}

/** So many clients, each sending its next message when its last one is done. */
export async function closedLoop(send: () => Promise<Sent>, { messages, clients, secondsMax }: Load): Promise<Sent[]> {
  const until = performance.now() + secondsMax * 1000;
  const sent: Sent[] = [];
  let left = messages;
  const run = async () => {
    while (left > 0 && performance.now() < until) {
      left -= 1;
      sent.push(await send());
    }
  };
  await Promise.all(Array.from({ length: Math.min(clients, messages) }, run));
  return sent;
}

/** Resolves when no workflow of these types is open. */
export async function untilNoneRuns(client: Client, workflowTypes: readonly string[], msMax = settleMsMax): Promise<void> {
  const types = workflowTypes.map((type) => `'${type}'`).join(', ');
  const until = performance.now() + msMax;
  for (;;) {
    const { count } = await client.workflow.count(`WorkflowType IN (${types}) AND ExecutionStatus = 'Running'`);
    if (count === 0) return;
    if (performance.now() > until) throw new Error(`${count} workflows are still open after ${msMax / 1000} s`);
    await sleep(100);
  }
}

/** Nearest-rank percentiles. */
export function percentiles(values: number[]): Percentiles {
  const sorted = values.toSorted((a, b) => a - b);
  const at = (share: number) => sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? Number.NaN;
  return { p50: at(0.5), p95: at(0.95), p99: at(0.99) };
}
