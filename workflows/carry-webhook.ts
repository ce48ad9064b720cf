import { WorkflowExecutionAlreadyStartedError } from '@temporalio/common';
import {
  condition,
  continueAsNew,
  defineSignal,
  getExternalWorkflowHandle,
  ParentClosePolicy,
  setHandler,
  startChild,
  workflowInfo,
} from '@temporalio/workflow';
import { carrying } from './activities.js';
import { type CarryWebhookInput, dueSignal, workflowIds } from './contract.js';

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

/** Tells the carrier of a webhook that something is due, and starts it where there is none. */
export async function wakeCarrier(webhookId: string): Promise<void> {
  while (!((await started(webhookId)) || (await signalled(webhookId))));
}

async function started(webhookId: string): Promise<boolean> {
  try {
    await startChild(carryWebhook, {
      workflowId: workflowIds.carrier(webhookId),
      args: [{ webhookId }],
      parentClosePolicy: ParentClosePolicy.ABANDON, // awaited all the same: a parent that closes earlier would take it along
      staticSummary: 'carrier of a webhook',
      priority: { priorityKey: 3 },
    });
    return true;
  } catch (error) {
    if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
    return false;
  }
}

/** False when it has ended in between. */
async function signalled(webhookId: string): Promise<boolean> {
  try {
    await getExternalWorkflowHandle(workflowIds.carrier(webhookId)).signal(due);
    return true;
  } catch {
    return false;
  }
}
