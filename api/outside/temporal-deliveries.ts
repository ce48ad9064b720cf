/** Starts and signals the workflows that deliver events to webhooks. */
import type { Client, WorkflowHandle } from '@temporalio/client';
import { type AttemptInput, queues, searchAttributes, workflowIds, workflowTypes } from '../../workflows/contract.js';
import { awaitedPriority, type ReplayRequest, replayStart, retrierSignal } from '../../workflows/starts.js';

/** A manual attempt: a test event or a resend. */
export interface AttemptRequest extends AttemptInput {
  workspaceId: string;
}

/** Wakes the retrier of a webhook, or starts it. It ends immediately if no delivery is waiting. */
export async function startOrSignalRetrier(client: Client, webhookId: string, workspaceId: string): Promise<void> {
  await client.workflow.signalWithStart(workflowTypes.retryWebhook, retrierSignal(webhookId, workspaceId));
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
    priority: awaitedPriority(workspaceId),
  });
}

export async function startReplay(client: Client, request: ReplayRequest): Promise<void> {
  await client.workflow.start(workflowTypes.replayDeliveries, replayStart(request));
}
