import { workflowInfo } from '@temporalio/workflow';
import { retrying } from './activities.js';
import { priorityOf } from './carry-webhook.js';
import { type DeliverWebhookInput, workflowIds } from './contract.js';
import { startUnlessRunning } from './other-workflows.js';

/**
 * Carries deliveries to one webhook until each is acknowledged, held or has used up its ladder. The activity's own retries are the
 * ladder, so a delivery of three days is eleven events. Fails when a delivery failed, so that operators find it by status.
 */
export async function deliverWebhook(input: DeliverWebhookInput): Promise<void> {
  await retrying.retryDeliveries(input);
}

/** Starts the workflow that carries these deliveries, unless somebody carries them already. It is named after the first of them. */
export async function startDelivery(input: DeliverWebhookInput, workspaceId?: string): Promise<void> {
  const [first] = input.deliveryIds;
  if (first === undefined) return;
  const { typedSearchAttributes } = workflowInfo();
  await startUnlessRunning(deliverWebhook, input, {
    workflowId: workflowIds.deliveries(first),
    staticSummary: `${input.deliveryIds.length} deliveries to webhook ${input.webhookId}`,
    ...(typedSearchAttributes === undefined ? {} : { typedSearchAttributes }),
    priority: priorityOf(workspaceId),
  });
}
