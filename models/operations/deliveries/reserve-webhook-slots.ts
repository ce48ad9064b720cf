import { type Database, select } from '../../db/database.js';

/** Slots that belong to the caller: the first one after `wait_ms`, each further one `every_ms` later. */
export interface WebhookSlots {
  wait_ms: number;
  every_ms: number;
  count: number;
}

/** A caller takes the slots of half a second at once: that is two short statements a second, and other callers wait no longer for their slots. */
const secondsAtOnce = 0.5;

/**
 * Takes the next free slots of a webhook with a rate. No other caller gets them, so all attempts together keep the rate. Slots that are not used
 * are lost.
 * @param wanted the maximum number of slots
 * @param aheadMsMax takes none if the next free slot is later than this
 * @returns undefined if the next free slot is later than that, or the webhook no longer has a rate
 */
export async function reserveWebhookSlots(
  db: Database,
  webhookId: string,
  wanted: number,
  aheadMsMax?: number,
): Promise<WebhookSlots | undefined> {
  const [slots] = await select<WebhookSlots>(db, reserve, [webhookId, wanted, aheadMsMax ?? null]);
  return slots;
}

const count = `LEAST($2::integer, GREATEST(1, floor(rate * ${secondsAtOnce})))`;
const reserve = `
  UPDATE webhooks SET paced_until = GREATEST(paced_until, clock_timestamp()) + ${count} / rate * interval '1 second'
  WHERE id = $1 AND rate IS NOT NULL
    AND ($3::double precision IS NULL OR paced_until IS NULL OR paced_until < clock_timestamp() + $3 * interval '1 millisecond')
  RETURNING extract(epoch FROM paced_until - clock_timestamp())::double precision * 1000 - ${count} / rate * 1000 AS wait_ms,
    1000 / rate AS every_ms, ${count}::integer AS count`;
