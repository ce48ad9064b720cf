/** Settles what a change of a webhook means for its deliveries, in the background and never at the cost of anybody else. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Database } from '../models/database.js';
import { settleDeliveries } from '../models/operations/settle-deliveries.js';

/** Where what is left is held by others there is no page to rest after. */
const restMsMin = 5;

/** Settles a page, and rests for as long as that took: the database is for others too. @returns false when nothing was left to settle */
export async function settleOnePage(db: Database, webhookId: string): Promise<boolean> {
  const startedAt = performance.now();
  const goesOn = await settleDeliveries(db, webhookId);
  if (goesOn) await sleep(Math.max(restMsMin, performance.now() - startedAt));
  return goesOn;
}
