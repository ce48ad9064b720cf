/** Waits for the workflows of messages. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from '@temporalio/client';
import { workflowTypes } from '../../workflows/contract.js';

/** The workflow types of a message. */
export const messageWorkflows = [
  workflowTypes.sendMessage,
  workflowTypes.sendGroup,
  workflowTypes.applyLateReports,
  workflowTypes.retryWebhook,
  workflowTypes.deliverWebhook,
];

const settleMsMax = 60_000;

/** Resolves when no workflow of these types is open. */
export async function untilNoneRuns(client: Client, types: readonly string[], msMax = settleMsMax): Promise<void> {
  const open = `WorkflowType IN (${types.map((type) => `'${type}'`).join(', ')}) AND ExecutionStatus = 'Running'`;
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
