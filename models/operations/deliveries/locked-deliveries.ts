/**
 * SQL: the ids of the deliveries `d` that meet this condition, locked from the oldest on. Every statement that changes several deliveries
 * uses this order. Otherwise two statements with the same deliveries could deadlock.
 * @param more joined tables, such as `JOIN webhooks w ON w.id = d.webhook_id`
 * @param columns what is selected, with the values under the lock
 */
export const lockedDeliveries = (condition: string, more = '', columns = 'd.id') =>
  `(SELECT ${columns} FROM deliveries d ${more} WHERE ${condition} ORDER BY d.id FOR NO KEY UPDATE OF d)`;

/**
 * SQL: the delivery `d` is pending. For statements that know the ids of their deliveries. A plain comparison would permit the indexes of
 * pending deliveries: a plan from the time when the table was small may use one of them, and then reads all pending deliveries.
 */
export const isPending = `(d.status || '') = 'pending'`;

/**
 * SQL: the delivery `d`, if it is pending, must not be attempted because of its webhook `w`: that is inactive or deleted, or has been
 * inactive since. The delivery's own row may not say so yet. See settle-deliveries.ts.
 */
export const isHeld = '(NOT w.is_active OR w.deleted_at IS NOT NULL OR d.webhook_revision < w.held_revision)';

/** SQL: the status of such a delivery. */
export const heldStatus = `CASE WHEN w.deleted_at IS NULL THEN 'held' ELSE 'failed' END`;

/** SQL: the status of the delivery `d`, with the state of its webhook `w`. */
export const statusNow = `CASE WHEN d.status = 'pending' AND ${isHeld} THEN ${heldStatus} WHEN d.status = 'held' THEN ${heldStatus} ELSE d.status END`;

/**
 * SQL: the event of the locked delivery `d` is not erased. A pending delivery needs no look: it keeps the event. An event is locked before its
 * deliveries, so this lock does not wait: an erasure looks at the event then, and the answer is not stored.
 */
export const keepsAnswers = `(d.status = 'pending' OR EXISTS (
  SELECT 1 FROM events e WHERE e.id = d.event_id AND e.body IS NOT NULL FOR SHARE SKIP LOCKED))`;

/** SQL: ends these pending deliveries: no attempt is due any more. Held ones are sent by a replay only. See `lockedDeliveries`. */
export const endDeliveries = (status: string, condition: string) => `
  UPDATE deliveries d SET status = ${status}, next_attempt_at = NULL FROM webhooks w
  WHERE w.id = d.webhook_id AND d.id IN ${lockedDeliveries(`${condition} AND ${isPending}`)}`;
