import { UniqueConstraintError } from 'sequelize';
import { type Database, select } from '../../db/database.js';
import { column, recordset, without } from '../../tables/columns.js';
import { deliveryAttemptColumns, type Timings, type Trigger } from '../../tables/delivery.js';
import { disableWebhook } from '../webhooks/disable-webhook.js';
import { isHeld, keepsAnswers, lockedDeliveries } from './locked-deliveries.js';
import { type HealthNote, noteHealth } from './note-health.js';

/** The number of newest attempts of a delivery that are kept. A response with a delivery contains them all. `WEBHOOK_RETRY_DELAYS` may make more. */
export const attemptsKept = 30;

/** The result of one POST to a webhook. */
export interface Attempt {
  deliveryId: string;
  webhookId: string;
  trigger: Trigger;
  /** The replay that makes it. */
  replayId?: string;
  /** When it began, by the clock of this process. Only its age is written. */
  at: Date;
  durationMs: number;
  responseStatus: number | null;
  /** Why there was no acceptable answer: a short word such as `timeout` or `http_status`. */
  error: string | null;
  responseBody: string | null;
  url: string;
  /** Null if nothing was sent. Secrets and signatures are masked. */
  requestHeaders: Record<string, string> | null;
  responseHeaders: Record<string, string> | null;
  timings: Timings;
  remoteAddress: string | null;
  next: DeliveryOutcome;
  /** When the webhook had been changed last, as the attempt knew it. */
  changedAt?: string;
  /** Its result for the health of the endpoint; absent if that is nothing new. */
  health?: HealthNote;
}

/** The consequence of an attempt for its delivery. A failure outside the retry schedule has none. */
export type DeliveryOutcome =
  | { status: 'succeeded' }
  | { status: 'failed' | 'unchanged'; disableWebhook?: string }
  /** Counted from the moment of recording. */
  | { status: 'pending'; inSeconds: number };

/**
 * - `stopped`: no further attempts may follow, because the webhook is inactive or was inactive meanwhile.
 * - `renewed`: the delivery would have failed for good, but its webhook has another URL meanwhile, so that it is pending.
 * - `outdated`: the owner has changed the webhook meanwhile.
 * - `recorded`: anything else.
 */
export type AttemptEffect = 'recorded' | 'outdated' | 'renewed' | 'stopped';

/**
 * Writes attempts and changes their deliveries, in one statement unless a delivery has several. The attempts of a delivery are numbered
 * from 1. An acknowledged delivery has succeeded. Otherwise, a delivery keeps a decision that was made meanwhile, by a manual attempt or
 * because its webhook became inactive or was deleted. If its webhook has another URL meanwhile, a failure does not count against the
 * endpoint, and the delivery is due immediately, at the start of its retry schedule: the present URL was never tried. The attempt is logged in
 * any case.
 * @param disableAfterSeconds an endpoint that acknowledges nothing for this time is disabled; 0: never
 */
export async function recordAttempts(db: Database, attempts: Attempt[], disableAfterSeconds: number): Promise<AttemptEffect[]> {
  const written = new Map<string, WrittenAttempt>();
  for (const round of onePerDelivery(attempts)) {
    for (const row of await write(db, JSON.stringify(round.map(rowOf)))) written.set(row.delivery_id, row);
  }
  const long = [...written.values()].filter(({ number }) => number > attemptsKept);
  if (long.length > 0) await select(db, deleteOldest, [long.map(({ delivery_id }) => delivery_id), attemptsKept]);
  const counted = attempts.filter(({ deliveryId }) => written.get(deliveryId)?.counts_for_endpoint === true);
  const { disabled, changed } = await noteEndpoints(db, counted, disableAfterSeconds);
  return attempts.map((attempt) => {
    const row = disabled.has(attempt.webhookId) ? undefined : written.get(attempt.deliveryId);
    return effectOf(attempt, row, changed.has(attempt.webhookId));
  });
}

/** @returns the webhooks that were disabled, and those that their owners have changed since the attempts were written */
async function noteEndpoints(db: Database, attempts: Attempt[], disableAfterSeconds: number) {
  const disabled = new Set<string>();
  const changed = new Set<string>();
  for (const { webhookId, url, next } of attempts) {
    if (!('disableWebhook' in next) || next.disableWebhook === undefined || disabled.has(webhookId)) continue;
    const isDisabled = await disableWebhook(db, webhookId, next.disableWebhook, { url });
    (isDisabled ? disabled : changed).add(webhookId);
  }
  const notes = attempts.flatMap(({ health, url }) => (health === undefined ? [] : [{ ...health, url }]));
  for (const webhookId of await noteHealth(db, notes, disableAfterSeconds)) disabled.add(webhookId);
  return { disabled, changed };
}

function effectOf({ trigger, next, changedAt }: Attempt, row: WrittenAttempt | undefined, isChanged: boolean): AttemptEffect {
  if (row === undefined || row.changed_at === null) return 'stopped';
  if (next.status === 'failed' && !row.counts_for_endpoint && trigger !== 'test') return 'renewed';
  return isChanged || (changedAt !== undefined && changedAt !== row.changed_at) ? 'outdated' : 'recorded';
}

/**
 * One statement changes a delivery once. If a manual and a scheduled attempt of a delivery end together, the second is written by the next
 * statement.
 */
function onePerDelivery(attempts: Attempt[]): Attempt[][] {
  const rounds: Map<string, Attempt>[] = [];
  for (const attempt of attempts) {
    const free = rounds.find((round) => !round.has(attempt.deliveryId));
    if (free === undefined) rounds.push(new Map([[attempt.deliveryId, attempt]]));
    else free.set(attempt.deliveryId, attempt);
  }
  return rounds.map((round) => [...round.values()]);
}

const rowOf = ({ deliveryId, durationMs, responseStatus, next, ...attempt }: Attempt) => ({
  delivery_id: deliveryId,
  trigger: attempt.trigger,
  replay_id: attempt.replayId ?? null,
  ago_ms: Math.max(0, Date.now() - attempt.at.getTime()),
  duration_ms: durationMs,
  response_status: responseStatus,
  error: attempt.error,
  response_body: attempt.responseBody,
  url: attempt.url,
  request_headers: attempt.requestHeaders,
  response_headers: attempt.responseHeaders,
  timings: attempt.timings,
  remote_address: attempt.remoteAddress,
  status: next.status,
  next_in_seconds: next.status === 'pending' ? next.inSeconds : null,
});

interface WrittenAttempt {
  delivery_id: string;
  number: number;
  /**
   * When the webhook was changed last. Null if it is inactive, or was inactive meanwhile: what waits for attempts is held then. A replay of
   * what has succeeded continues.
   */
  changed_at: string | null;
  /** The attempt was acknowledged, or the webhook still has the URL of the attempt. */
  counts_for_endpoint: boolean;
}

/** If two attempts of one delivery end at the same moment, one finds its number taken and uses the next. */
async function write(db: Database, rows: string): Promise<WrittenAttempt[]> {
  try {
    return await select<WrittenAttempt>(db, record, [rows]);
  } catch (error) {
    if (error instanceof UniqueConstraintError) return write(db, rows);
    throw error;
  }
}

const givenColumns = {
  ...without(deliveryAttemptColumns, 'number', 'at'),
  ago_ms: column.double(),
  status: column.text(),
  next_in_seconds: column.double(),
};

/** SQL: the attempt `a` failed at a former URL of the webhook `w`. A test is one attempt, and ends with it. */
const isRenewed = `(a.status <> 'succeeded' AND a.url <> w.url AND a.trigger <> 'test')`;

const record = `
  WITH a AS (
    SELECT *, clock_timestamp() - ago_ms * interval '1 millisecond' AS at, clock_timestamp() + next_in_seconds * interval '1 second' AS next_attempt_at
    FROM ${recordset('$1', 'a', givenColumns)}
  ), locked AS (
    SELECT d.id, ${keepsAnswers} AS keeps_answers FROM ${lockedDeliveries('true', 'JOIN a ON a.delivery_id = d.id', 'd.id, d.status, d.event_id')} d
  ), moved AS (
    UPDATE deliveries d SET status = CASE WHEN ${isRenewed} THEN 'pending' ELSE a.status END,
      next_attempt_at = CASE WHEN ${isRenewed} THEN now() ELSE a.next_attempt_at END,
      ladder_step = CASE WHEN ${isRenewed} THEN 0 ELSE d.ladder_step + (a.trigger <> 'manual')::int END,
      delivered_at = CASE WHEN a.status = 'succeeded' THEN now() END,
      -- The delivery has had the new chance that a change of the webhook gave it.
      webhook_revision = CASE WHEN a.url = w.url THEN w.revision ELSE d.webhook_revision END
    FROM a JOIN locked ON locked.id = a.delivery_id CROSS JOIN webhooks w WHERE d.id = locked.id AND w.id = d.webhook_id AND a.status <> 'unchanged'
      AND (d.status = 'pending' AND NOT ${isHeld} OR a.status = 'succeeded' AND d.status <> 'succeeded')
  ), kept AS (
    -- The retention has passed these deliveries. It looks at them again when their attempts have been readable for a day, and when a replay needs
    -- them no more: an endpoint can ask it to wait for a day.
    INSERT INTO retention_waits (kind, id, look_at) SELECT 'attempts', id, now() + interval '2 days' FROM locked
    WHERE id <= (SELECT swept_to FROM retention_sweeps WHERE kind = 'attempts') ORDER BY id
    ON CONFLICT (kind, id) DO UPDATE SET look_at = EXCLUDED.look_at
  )
  INSERT INTO delivery_attempts (delivery_id, number, trigger, replay_id, at, duration_ms, response_status, error, response_body, url,
    request_headers, response_headers, timings, remote_address)
  SELECT d.id, COALESCE((SELECT max(number) FROM delivery_attempts WHERE delivery_id = d.id), 0) + 1, a.trigger, a.replay_id, a.at, a.duration_ms,
    a.response_status, a.error, CASE WHEN d.keeps_answers THEN a.response_body END, a.url, a.request_headers,
    CASE WHEN d.keeps_answers THEN a.response_headers END, a.timings, a.remote_address
  FROM a JOIN locked d ON d.id = a.delivery_id ORDER BY d.id -- one order, so that concurrent statements do not deadlock on each other's numbers
  RETURNING delivery_id, number, (
    SELECT w.updated_at::text FROM deliveries d JOIN webhooks w ON w.id = d.webhook_id WHERE d.id = delivery_id
      AND CASE WHEN trigger = 'replay' AND d.status = 'succeeded' THEN w.is_active AND w.deleted_at IS NULL ELSE NOT ${isHeld} END
  ) AS changed_at, error IS NULL OR url = (
    SELECT w.url FROM deliveries d JOIN webhooks w ON w.id = d.webhook_id WHERE d.id = delivery_id
  ) AS counts_for_endpoint`;

const deleteOldest = `
  DELETE FROM delivery_attempts WHERE (delivery_id, number) IN (
    SELECT a.delivery_id, a.number FROM delivery_attempts a WHERE a.delivery_id = ANY($1::uuid[])
      AND a.number <= (SELECT max(number) FROM delivery_attempts n WHERE n.delivery_id = a.delivery_id) - $2::integer
    ORDER BY a.delivery_id, a.number FOR UPDATE OF a)`;
