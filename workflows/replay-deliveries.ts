import { continueAsNew, workflowInfo } from '@temporalio/workflow';
import { retrying } from './activities.js';
import { type ReplayInput, workflowIds } from './contract.js';
import { startDelivery } from './deliver-webhook.js';

/**
 * Sends the deliveries of a time again, oldest first, page by page; child workflows carry what fails. Ends early when it is cancelled
 * or the webhook becomes inactive: what was not reached stays as it was.
 */
export async function replayDeliveries(input: ReplayInput): Promise<void> {
  const { replayId, webhookId, statuses } = input;
  const rest = { ...input };
  while (!workflowInfo().continueAsNewSuggested) {
    const page = await retrying.listReplay(rest);
    const { left, goesOn } = await retrying.replayPage({ replayId, statuses, ...page });
    await startDelivery({ webhookId, deliveryIds: left }, (first) => workflowIds.replayed(replayId, first));
    if (!goesOn) return;
    Object.assign(rest, { after: page.deliveryIds.at(-1) });
  }
  await continueAsNew<typeof replayDeliveries>(rest);
}
