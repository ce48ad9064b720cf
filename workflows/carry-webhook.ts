import { condition, continueAsNew, defineSignal, setHandler, workflowInfo } from '@temporalio/workflow';
import { carrying } from './activities.js';
import { type CarryWebhookInput, dueSignal, workflowIds } from './contract.js';
import { signalIfRunning, startUnlessRunning } from './other-workflows.js';

const due = defineSignal(dueSignal);

/**
 * The carrier of one webhook: attempts what was not acknowledged at once, in its time, until nothing waits. There is one at most, so an
 * endpoint is probed once, kept to its rate and served in order, whatever the number of workers.
 */
export async function carryWebhook({ webhookId }: CarryWebhookInput): Promise<void> {
  let isWoken = false;
  setHandler(due, () => {
    isWoken = true;
  });
  for (;;) {
    isWoken = false;
    const waitMs = await carrying.carryDeliveries(webhookId);
    if (waitMs === null && !isWoken) return;
    if (workflowInfo().continueAsNewSuggested) await continueAsNew<typeof carryWebhook>({ webhookId });
    if (waitMs !== null && waitMs > 0) await condition(() => isWoken, Math.ceil(waitMs));
  }
}

/** Of what carries deliveries. Workspaces have the same share of its queue; where it is not told whose the webhook is, it is the starter's. */
export function priorityOf(workspaceId: string | undefined): { priorityKey: number; fairnessKey?: string } {
  const fairnessKey = workspaceId ?? workflowInfo().priority?.fairnessKey;
  return { priorityKey: 3, ...(fairnessKey === undefined || fairnessKey === '' ? {} : { fairnessKey }) };
}

/** Tells the carrier of a webhook that something is due, and starts it where there is none. */
export async function wakeCarrier(webhookId: string, workspaceId?: string): Promise<void> {
  while (!((await startCarrier(webhookId, workspaceId)) || (await signalIfRunning(workflowIds.carrier(webhookId), due))));
}

/** @returns false when it runs already */
function startCarrier(webhookId: string, workspaceId: string | undefined): Promise<boolean> {
  return startUnlessRunning(
    carryWebhook,
    { webhookId },
    {
      workflowId: workflowIds.carrier(webhookId),
      staticSummary: 'carrier of a webhook',
      priority: priorityOf(workspaceId),
    },
  );
}
