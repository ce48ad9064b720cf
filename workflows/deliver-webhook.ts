import { retrying } from './activities.js';
import type { DeliverWebhookInput } from './contract.js';

/**
 * Carries deliveries to one webhook until each is acknowledged, held or has used up its ladder. The activity's own retries are the
 * ladder, so a delivery of three days is eleven events. Fails when a delivery failed, so that operators find it by status.
 */
export async function deliverWebhook(input: DeliverWebhookInput): Promise<void> {
  await retrying.retryDeliveries(input);
}
