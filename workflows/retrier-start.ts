/** How the retrier of a webhook starts, whether the API, the watcher or a workflow starts it. Imports the contract only. */
import { dueSignal, queues, type RetryWebhookInput, workflowIds } from './contract.js';

/** The priority of workflows for deliveries. Workspaces share the queue fairly. */
export const deliveryPriority = (workspaceId?: string): { priorityKey: number; fairnessKey?: string } => ({
  priorityKey: 3,
  ...(workspaceId === undefined ? {} : { fairnessKey: workspaceId }),
});

/** For a workflow, which starts the retrier as a child. */
export const retrierStart = (webhookId: string, workspaceId: string | undefined) => ({
  workflowId: workflowIds.retrier(webhookId),
  staticSummary: `retries for webhook ${webhookId}`,
  priority: deliveryPriority(workspaceId),
});

/** For a client: signals that a delivery is due, and starts the retrier if none runs. */
export const retrierSignal = (webhookId: string, workspaceId: string | undefined) => ({
  ...retrierStart(webhookId, workspaceId),
  taskQueue: queues.messages,
  args: [{ webhookId }] as [RetryWebhookInput],
  signal: dueSignal,
});
