import { attempting } from './activities.js';
import type { AttemptInput } from './contract.js';

/** One attempt of a delivery that somebody asked for, beside whatever carries the delivery. Its outcome is in the log of deliveries. */
export async function attemptDelivery(input: AttemptInput): Promise<void> {
  await attempting.attemptNow(input);
}
