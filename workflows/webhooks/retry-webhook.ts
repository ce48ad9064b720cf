import { condition, continueAsNew, defineSignal, setHandler, workflowInfo } from '@temporalio/workflow';
import { retrierCalls } from '../activities.js';
import { type RetryWebhookInput, dueSignal, workflowIds } from '../contract.js';
import { signalIfRunning, startUnlessRunning } from '../other-workflows.js';
import { retrierStart } from '../starts.js';

const due = defineSignal(dueSignal);

/**
 * The retrier of one webhook. It repeats deliveries that were not acknowledged until none is pending. A webhook has one retrier at most, so
 * its endpoint gets one probe, its rate and its order, whatever the number of workers.
 */
export async function retryWebhook({ webhookId }: RetryWebhookInput): Promise<void> {
  let isWoken = false;
  setHandler(due, () => {
    isWoken = true;
  });
  for (;;) {
    isWoken = false;
    const waitMs = await retrierCalls.runRetrier(webhookId);
    if (waitMs === null && !isWoken) return;
    if (workflowInfo().continueAsNewSuggested) await continueAsNew<typeof retryWebhook>({ webhookId });
    if (waitMs !== null && waitMs > 0) await condition(() => isWoken, Math.ceil(waitMs));
  }
}

/** The workspace of a workflow that this one starts. By default it is that of this workflow; undefined if both have none. */
export const ownerOf = (workspaceId: string | undefined): string | undefined =>
  (workspaceId ?? workflowInfo().priority?.fairnessKey) || undefined;

/** Signals the retrier of a webhook that a delivery is due. Starts the retrier if none runs. */
export async function wakeRetrier(webhookId: string, workspaceId?: string): Promise<void> {
  for (;;) {
    if (await startUnlessRunning(retryWebhook, { webhookId }, retrierStart(webhookId, ownerOf(workspaceId)))) return;
    if (await signalIfRunning(workflowIds.retrier(webhookId), due)) return;
    // It has ended between the two calls.
  }
}
