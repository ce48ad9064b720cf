/** A measured case: how it sends messages and waits until they are done. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from '@temporalio/client';
import type { Pids } from './process-usage.js';
import type { PartName } from '../stage/service.js';

/** The columns of the table. Case d has two. */
export const columnKeys = ['a', 'p', 'b', 'c', 'd3', 'd10'] as const;
export type ColumnKey = (typeof columnKeys)[number];

/** The times of one message, in milliseconds since it was sent. */
export interface Sent {
  acceptMs: number;
  doneMs: number;
}

export interface MeasuredCase {
  key: ColumnKey;
  title: string;
  /** Sends messages and waits until they are done. */
  sendAll(load: Load): Promise<Sent[]>;
  /** The types of its workflows. */
  workflowTypes: readonly string[];
  /** The processes that do its work. */
  pids(): Record<PartName, Pids>;
}

/** A case with single messages. */
export interface SingleCase extends MeasuredCase {
  send(): Promise<Sent>;
}

export interface Load {
  messages: number;
  clients: number;
  /** No new message starts after this time. */
  secondsMax?: number;
}

const settleMsMax = 60_000;

/** Runs clients in a closed loop: each starts its next message when the previous one is done. */
export async function closedLoop<Done>(
  send: () => Promise<Done>,
  { messages, clients, secondsMax = Number.POSITIVE_INFINITY }: Load,
): Promise<Done[]> {
  const until = performance.now() + secondsMax * 1000;
  const done: Done[] = [];
  let left = messages;
  const run = async () => {
    while (left > 0 && performance.now() < until) {
      left -= 1;
      done.push(await send());
    }
  };
  await Promise.all(Array.from({ length: Math.min(clients, messages) }, run));
  return done;
}

/** Resolves when no workflow of these types is open. */
export async function untilNoneRuns(client: Client, workflowTypes: readonly string[], msMax = settleMsMax): Promise<void> {
  const types = workflowTypes.map((type) => `'${type}'`).join(', ');
  const open = `WorkflowType IN (${types}) AND ExecutionStatus = 'Running'`;
  const until = performance.now() + msMax;
  for (;;) {
    const { count } = await client.workflow.count(open);
    if (count === 0) return;
    if (performance.now() > until)
      throw new Error(`${count} workflows still open after ${msMax / 1000} s, such as ${await firstOf(client, open)}`);
    await sleep(100);
  }
}

async function firstOf(client: Client, query: string): Promise<string> {
  for await (const { workflowId } of client.workflow.list({ query, pageSize: 1 })) return workflowId;
  return 'none any more';
}
