/** Starts and signals the workflows that deliver events to webhooks. */
import type { Client, WorkflowHandle } from '@temporalio/client';
import {
  type AttemptInput,
  dueSignal,
  queues,
  type ReplayInput,
  searchAttributes,
  workflowIds,
  workflowTypes,
} from '../../workflows/contract.js';

/** A manual attempt: a test event or a resend. */
export interface AttemptRequest extends AttemptInput {
  workspaceId: string;
}

export interface ReplayRequest extends ReplayInput {
  workspaceId: string;
}

/** Signals the webhook workflow, and starts it if it is not running. It ends immediately if no delivery is waiting. */
export async function signalCarrier(client: Client, webhookId: string, workspaceId: string): Promise<void> {
  await client.workflow.signalWithStart(workflowTypes.carryWebhook, {
    taskQueue: queues.messages,
    workflowId: workflowIds.carrier(webhookId),
    args: [{ webhookId }],
    signal: dueSignal,
    staticSummary: 'carrier of a webhook',
    priority: { priorityKey: 3, fairnessKey: workspaceId },
  });
}

/** Starts an attempt, or joins the one that is running for this delivery. */
export function startAttempt(client: Client, { workspaceId, ...input }: AttemptRequest): Promise<WorkflowHandle> {
  return client.workflow.start(workflowTypes.attemptDelivery, {
    taskQueue: queues.messages,
    workflowId: workflowIds.attempt(input.deliveryId),
    args: [input],
    workflowIdConflictPolicy: 'USE_EXISTING',
    typedSearchAttributes: [{ key: searchAttributes.workspaceId, value: workspaceId }],
    staticSummary: `${input.trigger} attempt`,
    priority: { priorityKey: 2, fairnessKey: workspaceId },
  });
}

export async function startReplay(client: Client, { workspaceId, ...input }: ReplayRequest): Promise<void> {
  await client.workflow.start(workflowTypes.replayDeliveries, {
    taskQueue: queues.messages,
    workflowId: workflowIds.replay(input.replayId),
    args: [input],
    typedSearchAttributes: [{ key: searchAttributes.workspaceId, value: workspaceId }],
    staticSummary: `replay to webhook ${input.webhookId}`,
    priority: { priorityKey: 4, fairnessKey: workspaceId },
  });
}
