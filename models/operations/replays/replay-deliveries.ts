/** Replays: which deliveries of a period they include. */
import { type Database, select, selectIds, selectOne } from '../../db/database.js';
import { dryRunTooLarge } from '../../conflicts.js';
import { type DeliveryStatus, deliveryStatuses } from '../../tables/delivery.js';
import { testEventType } from '../../rules/webhooks/events.js';
import { isHeld } from '../deliveries/locked-deliveries.js';

/**
 * The deliveries of a webhook that were created in this period, both ends included, and have one of these statuses. Tests, and deliveries
 * whose body was deleted by the retention, are not included.
 */
export interface ReplayRange {
  webhookId: string;
  since: Date;
  until: Date;
  statuses: readonly DeliveryStatus[];
}

const matching = (condition: string) => `
  FROM deliveries d JOIN events e ON e.id = d.event_id AND e.body IS NOT NULL JOIN webhooks w ON w.id = d.webhook_id
  WHERE d.webhook_id = $1 AND d.created_at >= $2 AND d.created_at < $3 AND d.event <> '${testEventType}' AND ${condition}`;

/** The statuses are written out, because the index of undelivered deliveries can be used only for constants. */
const isIn = (statuses: readonly DeliveryStatus[]) =>
  `d.status IN (${deliveryStatuses.filter((status) => statuses.includes(status)).map((status) => `'${status}'`)})
    ${statuses.includes('pending') ? `AND NOT (d.status = 'pending' AND ${isHeld})` : ''}`;

/** Held by their webhook, but not settled yet. Each kind has an index. */
const unsettled = ['d.carried', 'NOT d.carried'].map((kind) => `d.status = 'pending' AND ${kind} AND ${isHeld}`);

/** The maximum number of deliveries that are counted. Counting more would occupy a connection for seconds. */
const countedMax = 200_000;

/**
 * Counts the deliveries that a replay of this range would send now.
 * @param max the maximum number; tests lower it
 * @returns null if there are more
 */
export async function countForReplay(db: Database, range: ReplayRange, max = countedMax): Promise<number | null> {
  const conditions = [isIn(range.statuses), ...(range.statuses.includes('held') ? unsettled : [])];
  const counts = conditions.map((condition) => `(SELECT count(*) FROM (SELECT 1 ${matching(condition)} LIMIT ${max + 1}) AS found)`);
  const { matched } = await selectOne<{ matched: number }>(db, `SELECT ${counts.join(' + ')} AS matched`, bindOf(range));
  return matched > max ? null : matched;
}

/**
 * Counts the deliveries for a dry run. Without the number, a dry run would have no result.
 * @param max the maximum number; tests lower it
 * @throws AppError limit_reached if there are more
 */
export async function countForDryRun(db: Database, range: ReplayRange, max = countedMax): Promise<number> {
  const matched = await countForReplay(db, range, max);
  if (matched === null) throw dryRunTooLarge(max);
  return matched;
}

/**
 * The next deliveries of a replay, oldest first, once the deliveries of the webhook are settled.
 * @param after the last id of the list before; null at the beginning. If it was deleted meanwhile, so were all older ones, and the list
 *   begins with the oldest that is left
 */
export async function listReplayable(db: Database, range: ReplayRange, after: string | null, limit: number): Promise<string[]> {
  const [last] = after === null ? [] : await select<{ at: string; seq: number }>(db, place, [after]);
  const order = placeIn('d').join(', ');
  const further = last === undefined ? '' : `AND d.created_at >= $4::timestamptz AND (${order}) > ($4::timestamptz, $5::bigint, $6::uuid)`;
  const list = `SELECT d.id ${matching(isIn(range.statuses))} ${further} ORDER BY ${order} LIMIT ${limit}`;
  return selectIds(db, list, [...bindOf(range), ...(last === undefined ? [] : [last.at, last.seq, after])]);
}

/** SQL: the order in which deliveries are replayed. */
export const placeIn = (delivery: string) => [`${delivery}.created_at`, `${delivery}.seq`, `${delivery}.id`];

/** As text, because a Date loses microseconds. */
const place = `SELECT created_at::text AS at, seq FROM deliveries WHERE id = $1`;

/** Creation times are stored to the microsecond and shown to the millisecond, so the last millisecond is included completely. */
const bindOf = ({ webhookId, since, until }: ReplayRange) => [webhookId, since, new Date(until.getTime() + 1)];
