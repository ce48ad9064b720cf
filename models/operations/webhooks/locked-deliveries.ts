/**
 * SQL: the ids of the deliveries `d` for which this holds, locked from the oldest on. Every statement that moves several deliveries
 * takes them so; two that move the same ones would else wait for each other in a circle.
 * @param more joined tables, such as `JOIN webhooks w ON w.id = d.webhook_id`
 */
export const lockedDeliveries = (condition: string, more = '') =>
  `(SELECT d.id FROM deliveries d ${more} WHERE ${condition} ORDER BY d.id FOR NO KEY UPDATE OF d)`;

/**
 * SQL: the delivery `d` is pending. For statements that know the ids of their deliveries. A plain comparison would allow the indexes of pending
 * deliveries: a plan from the time when the table was small may use one of them, and then reads all pending deliveries.
 */
export const isPending = `(d.status || '') = 'pending'`;

/**
 * SQL: the delivery `d`, where it is pending, does not go out any more because of its webhook `w`, whether or not its own row says so already:
 * the webhook is inactive or deleted, or has been inactive since. See settle-deliveries.ts.
 */
export const isHeld = '(NOT w.is_active OR w.deleted_at IS NOT NULL OR d.webhook_revision < w.held_revision)';

/** SQL: what such a delivery is. */
export const heldStatus = `CASE WHEN w.deleted_at IS NULL THEN 'held' ELSE 'failed' END`;

/** SQL: the status of the delivery `d` with what the row of its webhook `w` says of it. */
export const statusNow = `CASE WHEN d.status = 'pending' AND ${isHeld} THEN ${heldStatus} WHEN d.status = 'held' THEN ${heldStatus} ELSE d.status END`;

/** SQL: ends the way of these deliveries, which are pending: no attempt is due any more. Held ones go out by replay only. See `lockedDeliveries`. */
export const endDeliveries = (status: string, condition: string) => `
  UPDATE deliveries d SET status = ${status}, next_attempt_at = NULL FROM webhooks w
  WHERE w.id = d.webhook_id AND d.id IN ${lockedDeliveries(`${condition} AND ${isPending}`)}`;
