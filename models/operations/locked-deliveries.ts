/**
 * SQL: the ids of the deliveries `d` for which this holds, locked from the oldest on. Every statement that moves several deliveries
 * takes them so; two that move the same ones would else wait for each other in a circle.
 * @param more joined tables, such as `JOIN webhooks w ON w.id = d.webhook_id`
 */
export const lockedDeliveries = (condition: string, more = '') =>
  `(SELECT d.id FROM deliveries d ${more} WHERE ${condition} ORDER BY d.id FOR NO KEY UPDATE OF d)`;

/** SQL: ends the way of these deliveries: no attempt is due any more. Held ones go out by replay only. See `lockedDeliveries`. */
export const endDeliveries = (status: 'failed' | 'held', condition: string, more = '') =>
  `UPDATE deliveries SET status = '${status}', next_attempt_at = NULL WHERE id IN ${lockedDeliveries(condition, more)}`;
