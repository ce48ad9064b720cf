import { attempting } from '../activities.js';
import type { AttemptInput } from '../contract.js';

/** Makes one attempt of a delivery that a user requested. The retry schedule of the delivery is not changed. The delivery log has the outcome. */
export async function attemptDelivery(input: AttemptInput): Promise<void> {
  await attempting.attemptNow(input);
}
