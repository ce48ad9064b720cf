import { type Database, select } from '../../db/database.js';

/** Turns that belong to the caller: the first one after `wait_ms`, each further one `every_ms` later. */
export interface Turns {
  wait_ms: number;
  every_ms: number;
  count: number;
}

/** A caller takes the turns of half a second at once: that is two short statements a second, and other callers wait no longer for their turns. */
const secondsAtOnce = 0.5;

/**
 * Takes the next free turns of a webhook with a rate. No other caller gets them, so all attempts together keep the rate. Turns that are not used
 * are lost.
 * @param wanted the maximum number of turns
 * @param aheadMsMax takes none if the next free turn is later than this
 * @returns undefined if the next free turn is later than that, or the webhook no longer has a rate
 */
export async function reserveTurns(db: Database, webhookId: string, wanted: number, aheadMsMax?: number): Promise<Turns | undefined> {
  const [turns] = await select<Turns>(db, reserve, [webhookId, wanted, aheadMsMax ?? null]);
  return turns;
}

const count = `LEAST($2::integer, GREATEST(1, floor(rate * ${secondsAtOnce})))`;
const reserve = `
  UPDATE webhooks SET paced_until = GREATEST(paced_until, clock_timestamp()) + ${count} / rate * interval '1 second'
  WHERE id = $1 AND rate IS NOT NULL
    AND ($3::double precision IS NULL OR paced_until IS NULL OR paced_until < clock_timestamp() + $3 * interval '1 millisecond')
  RETURNING extract(epoch FROM paced_until - clock_timestamp())::double precision * 1000 - ${count} / rate * 1000 AS wait_ms,
    1000 / rate AS every_ms, ${count}::integer AS count`;

/** Whether the owner has not changed the webhook since this time. @param changedAt `changed_at` of a delivery */
export async function isWebhookUnchanged(db: Database, webhookId: string, changedAt: string): Promise<boolean> {
  return (await select(db, unchanged, [webhookId, changedAt])).length > 0;
}

const unchanged = 'SELECT 1 FROM webhooks WHERE id = $1 AND updated_at::text = $2';
