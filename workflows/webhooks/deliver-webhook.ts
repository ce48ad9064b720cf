import { retrying } from '../activities.js';
import { ownerOf } from './retry-webhook.js';
import { type DeliverWebhookInput, workflowIds } from '../contract.js';
import { inheritedAttributes, startUnlessRunning } from '../other-workflows.js';
import { deliveryPriority } from '../starts.js';

/**
 * Attempts deliveries to one webhook until each is acknowledged, held, or at the end of its retry schedule. The retries of the activity are
 * the retry schedule, so they add no events to the history. The workflow fails when a delivery fails: operators find it by status.
 */
export async function deliverWebhook(input: DeliverWebhookInput): Promise<void> {
  await retrying.retryDeliveries(input);
}

/** Starts the workflow for these deliveries unless it runs already. The first delivery gives it its id. */
export async function startDelivery(input: DeliverWebhookInput, workspaceId?: string): Promise<void> {
  const [first] = input.deliveryIds;
  if (first === undefined) return;
  await startUnlessRunning(deliverWebhook, input, {
    workflowId: workflowIds.delivery(first),
    staticSummary: `deliveries to webhook ${input.webhookId}: ${input.deliveryIds.length}`,
    ...inheritedAttributes(),
    priority: deliveryPriority(ownerOf(workspaceId)),
  });
}
