/** The slots for pages of batches in one worker. A page at a slow carrier gets a further page to run beside it. */
import type { ActivitySlotInfo, CustomSlotSupplier, SlotPermit, SlotReserveContext, WorkerTuner } from '@temporalio/worker';
import { queues } from '../../workflows/contract.js';
import { activitySlots } from '../support/slots.js';

/** How many pages may run beyond the slots of the queue. */
const extraMax = 4;
/** How soon a slow carrier is noticed, while all slots are taken. */
const lookEveryMs = 250;

/** Created for one worker. @param slow how many pages mostly wait for slow carriers */
export class PageSlots implements CustomSlotSupplier<ActivitySlotInfo> {
  readonly type = 'custom';
  /** What grants a slot to each waiting poll, in their order. */
  readonly #waiting = new Set<(permit: SlotPermit) => void>();
  #taken = 0;
  #look: NodeJS.Timeout | undefined;

  constructor(private readonly slow: () => number) {}

  reserveSlot(_: SlotReserveContext, signal: AbortSignal): Promise<SlotPermit> {
    return new Promise((resolve, reject) => {
      if (signal.aborted) return reject(signal.reason as Error);
      this.#waiting.add(resolve);
      signal.addEventListener('abort', () => {
        // The SDK aborts only while it has no permit: one that was granted meanwhile is lost.
        if (!this.#waiting.delete(resolve)) this.#taken -= 1;
        this.#grant();
        reject(signal.reason as Error);
      });
      this.#grant();
      if (this.#waiting.size > 0) this.#look ??= setInterval(() => this.#grant(), lookEveryMs).unref();
    });
  }

  tryReserveSlot(): SlotPermit | null {
    if (this.#waiting.size > 0 || !this.#hasFree()) return null;
    this.#taken += 1;
    return {};
  }

  markSlotUsed(): void {
    // Only the number of slots matters.
  }

  releaseSlot(): void {
    this.#taken -= 1;
    this.#grant();
  }

  #hasFree(): boolean {
    const slots = activitySlots[queues.bulk];
    return this.#taken < slots || this.#taken < slots + Math.min(this.slow(), extraMax);
  }

  #grant(): void {
    for (const grant of this.#waiting) {
      if (!this.#hasFree()) break;
      this.#waiting.delete(grant);
      this.#taken += 1;
      grant({});
    }
    if (this.#waiting.size > 0) return;
    clearInterval(this.#look);
    this.#look = undefined;
  }
}

const fixed = (numSlots: number) => ({ type: 'fixed-size', numSlots }) as const;

/** The slots of a worker that runs only activities, in `PageSlots`. */
export const pageTuner = (slow: () => number): WorkerTuner => ({
  workflowTaskSlotSupplier: fixed(2),
  activityTaskSlotSupplier: new PageSlots(slow),
  localActivityTaskSlotSupplier: fixed(1),
  nexusTaskSlotSupplier: fixed(1),
});
