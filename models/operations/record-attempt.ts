import { UniqueConstraintError } from 'sequelize';
import { type Database, select } from '../database.js';
import type { Trigger } from '../delivery.js';

/** What one POST to a webhook came to. */
export interface Attempt {
  deliveryId: string;
  webhookId: string;
  trigger: Trigger;
  at: Date;
  durationMs: number;
  responseStatus: number | null;
  /** Why there was no answer, or no acceptable one: a short word such as `timeout` or `http_status`. */
  error: string | null;
  responseBody: string | null;
  next: NextStep;
}

/** What follows from an attempt for the delivery. */
export type NextStep = { status: 'succeeded' } | { status: 'failed'; disableWebhook?: string } | { status: 'pending'; nextAttemptAt: Date };

/**
 * Writes an attempt and moves its delivery, in one statement. The attempts of a delivery are numbered from 1. A delivery that
 * was decided meanwhile, by a manual attempt or because its webhook was deleted, keeps its decision; the attempt is still logged.
 * @returns whether the webhook still takes deliveries
 */
export async function recordAttempt(db: Database, attempt: Attempt): Promise<boolean> {
  const { deliveryId, trigger, at, durationMs, responseStatus, error, responseBody, next } = attempt;
  const nextAttemptAt = next.status === 'pending' ? next.nextAttemptAt : null;
  const isActive = await write(db, [deliveryId, trigger, at, durationMs, responseStatus, error, responseBody, next.status, nextAttemptAt]);
  if (next.status !== 'failed' || next.disableWebhook === undefined) return isActive;
  await disableWebhook(db, attempt.webhookId, next.disableWebhook);
  return false;
}

/** Of two attempts of one delivery that end at the same moment one finds its number taken and takes the next. */
async function write(db: Database, bind: unknown[]): Promise<boolean> {
  try {
    const [written] = await select<{ isActive: boolean }>(db, record, bind);
    return written?.isActive ?? false;
  } catch (error) {
    if (error instanceof UniqueConstraintError) return write(db, bind);
    throw error;
  }
}

const record = `
  WITH moved AS (
    UPDATE deliveries SET status = $8, next_attempt_at = $9::timestamptz, ladder_step = ladder_step + 1,
      delivered_at = CASE WHEN $8 = 'succeeded' THEN now() END
    WHERE id = $1 AND status = 'pending'
  )
  INSERT INTO delivery_attempts (delivery_id, number, trigger, at, duration_ms, response_status, error, response_body)
  SELECT d.id, COALESCE((SELECT max(number) FROM delivery_attempts WHERE delivery_id = d.id), 0) + 1, $2, $3::timestamptz, $4, $5, $6, $7
  FROM deliveries d WHERE d.id = $1
  RETURNING (
    SELECT w.is_active AND w.deleted_at IS NULL FROM deliveries d JOIN webhooks w ON w.id = d.webhook_id WHERE d.id = delivery_id
  ) AS "isActive"`;

/** Stops sending to a webhook that said it is gone; its waiting deliveries are held and can be replayed. */
async function disableWebhook(db: Database, webhookId: string, reason: string): Promise<void> {
  await select(db, disable, [webhookId, reason]);
}

const disable = `
  WITH disabled AS (
    UPDATE webhooks SET is_active = false, disabled_reason = $2, updated_at = now() WHERE id = $1 AND is_active RETURNING id
  )
  UPDATE deliveries d SET status = 'held', next_attempt_at = NULL FROM disabled w WHERE d.webhook_id = w.id AND d.status = 'pending'`;
