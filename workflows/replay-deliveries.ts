import { continueAsNew, workflowInfo } from '@temporalio/workflow';
import { retrying } from './activities.js';
import { wakeCarrier } from './carry-webhook.js';
import type { ReplayInput } from './contract.js';

/**
 * Sends the deliveries of a time again, oldest first, page by page; the carrier of the webhook goes on with what fails. Ends early when
 * it is cancelled or the webhook becomes inactive: what was not reached stays as it was.
 */
export async function replayDeliveries(input: ReplayInput): Promise<void> {
  const { replayId, webhookId, statuses } = input;
  const rest = { ...input };
  while (!workflowInfo().continueAsNewSuggested) {
    const page = await retrying.listReplay(rest);
    const { carriers, goesOn } = await retrying.replayPage({ replayId, webhookId, statuses, ...page });
    for (const carrier of carriers) await wakeCarrier(carrier);
    if (!goesOn) return;
    Object.assign(rest, { after: page.deliveryIds.at(-1) });
  }
  await continueAsNew<typeof replayDeliveries>(rest);
}
