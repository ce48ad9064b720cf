/** Settles what a change of a webhook means for its deliveries, in the background and never at the cost of anybody else. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Database } from '../../models/db/database.js';
import { settleDeliveries, type SettlingPlace } from '../../models/operations/webhooks/settle-deliveries.js';

/** Where what is left is held by others there is no page to rest after. */
const restMsMin = 5;

export class Settling {
  #place: SettlingPlace | null = null;

  constructor(
    private readonly db: Database,
    private readonly webhookId: string,
  ) {}

  /** Settles a page, and rests for as long as that took: the database is for others too. @returns false when nothing was left to settle */
  async onePage(): Promise<boolean> {
    const startedAt = performance.now();
    this.#place = await settleDeliveries(this.db, this.webhookId, this.#place);
    if (this.#place === null) return false;
    await sleep(Math.max(restMsMin, performance.now() - startedAt));
    return true;
  }
}
