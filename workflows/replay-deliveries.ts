import { continueAsNew, workflowInfo } from '@temporalio/workflow';
import { replaying } from './activities.js';
import { type ReplayInput, workflowIds } from './contract.js';
import { startDelivery } from './event-pump.js';

/**
 * Sends the deliveries of a time again, oldest first, page by page; child workflows carry what fails. Ends early when it is cancelled
 * or the webhook becomes inactive: what was not reached stays as it was.
 */
export async function replayDeliveries(input: ReplayInput): Promise<void> {
  const { replayId, webhookId, statuses } = input;
  const rest = { ...input };
  while (!workflowInfo().continueAsNewSuggested) {
    const page = await replaying.listReplay(rest);
    const { left, goesOn } = await replaying.replayPage({ replayId, statuses, ...page });
    await startDelivery({ webhookId, deliveryIds: left }, (first) => workflowIds.replayed(replayId, first));
    if (!goesOn) return;
    Object.assign(rest, { after: page.deliveryIds.at(-1) });
  }
  await continueAsNew<typeof replayDeliveries>(rest);
}
