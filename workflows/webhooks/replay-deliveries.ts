import { continueAsNew, workflowInfo } from '@temporalio/workflow';
import { retrying } from '../activities.js';
import { wakeRetrier } from './retry-webhook.js';
import type { ReplayInput } from '../contract.js';

/**
 * Sends the deliveries of a period again, oldest first, page by page. The retrier of the webhook repeats deliveries that fail. The replay ends
 * early when it is cancelled or the webhook becomes inactive. The remaining deliveries stay unchanged.
 */
export async function replayDeliveries(input: ReplayInput): Promise<void> {
  const { replayId, webhookId, statuses } = input;
  const rest = { ...input };
  while (!workflowInfo().continueAsNewSuggested) {
    const page = await retrying.listReplay(rest);
    const { retriers, goesOn } = await retrying.replayPage({ replayId, webhookId, statuses, ...page });
    for (const retrier of retriers) await wakeRetrier(retrier);
    if (!goesOn) return;
    Object.assign(rest, { after: page.deliveryIds.at(-1) });
  }
  await continueAsNew<typeof replayDeliveries>(rest);
}
