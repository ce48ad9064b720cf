/** Applies a change of a webhook to its deliveries, in the background and slowly enough to delay no other work. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Database } from '../../models/db/database.js';
import { settleDeliveries, type SettlingPlace } from '../../models/operations/webhooks/settle-deliveries.js';

/** Minimum pause. A page whose rows are all locked takes no time. */
const restMsMin = 5;

export class Settling {
  #place: SettlingPlace | null = null;

  constructor(
    private readonly db: Database,
    private readonly webhookId: string,
  ) {}

  /** Settles a page, then pauses for as long as that took, to leave half of the database's time to other work. @returns false when none was left */
  async onePage(): Promise<boolean> {
    const startedAt = performance.now();
    this.#place = await settleDeliveries(this.db, this.webhookId, this.#place);
    if (this.#place === null) return false;
    await sleep(Math.max(restMsMin, performance.now() - startedAt));
    return true;
  }
}
