import { continueAsNew, workflowInfo } from '@temporalio/workflow';
import { replaying } from './activities.js';
import { type ReplayInput, workflowIds } from './contract.js';
import { startDelivery } from './event-pump.js';

/**
 * Sends the deliveries of a time again, oldest first, page by page; child workflows carry what fails. Ends early when the webhook
 * becomes inactive: what was not reached stays as it was.
 */
export async function replayDeliveries(input: ReplayInput): Promise<void> {
  const { replayId, webhookId, statuses } = input;
  let { after } = input;
  while (!workflowInfo().continueAsNewSuggested) {
    const deliveryIds = await replaying.listReplay({ ...input, ...(after === undefined ? {} : { after }) });
    after = deliveryIds.at(-1);
    if (after === undefined) return;
    const { left, isActive } = await replaying.replayPage({ webhookId, deliveryIds, statuses });
    await startDelivery({ webhookId, deliveryIds: left }, (first) => workflowIds.replayed(replayId, first));
    if (!isActive) return;
  }
  await continueAsNew<typeof replayDeliveries>({ ...input, ...(after === undefined ? {} : { after }) });
}
