/** Adds changes of messages to the rollups by hour and day. The changes are written by a trigger (migration 0038). */
import { type Database, select } from '../../db/database.js';
import { waitClassOf } from '../../rules/messages/wait-classes.js';

/** A period by hour begins at most this long ago; a longer one is shown by day. */
export const hourDays = 35;
/** SQL: when the hour of such a period begins. A period that begins within an hour has the whole of it. */
const firstHour = `now() - interval '${hourDays * 24 + 1} hours'`;
const pageSize = 20_000;
const deletedPerRound = 20_000;

/**
 * Rolls up all changes, page by page, until the time is over. The next run continues.
 * @param untilMs milliseconds since 1970
 * @returns the number of changes
 */
export async function rollUpChanges(db: Database, untilMs: number, page = pageSize): Promise<number> {
  for (let added = 0; ; ) {
    const [done] = await select<{ count: number }>(db, rollUp, [page]);
    added += done?.count ?? 0;
    if ((done?.count ?? 0) < page || Date.now() > untilMs) return added;
  }
}

/** Deletes sums by hour that are older than they are kept. @returns whether none is left */
export async function deleteOldHours(db: Database): Promise<boolean> {
  return (await select(db, deleteHours, [deletedPerRound])).length < deletedPerRound;
}

// One statement: a change is either a row of its own or part of a sum. All runs change the sums in the same order, so two of them cannot lock each other.
const rollUp = `
  WITH taken AS (
    DELETE FROM message_changes WHERE ctid = ANY (ARRAY(SELECT ctid FROM message_changes LIMIT $1)) RETURNING *
  ), grouped AS (
    SELECT workspace_id, channel, date_trunc('hour', at, 'UTC') AS at, reason, ${waitClassOf('wait_ms')}::text AS wait,
      sum(messages) AS messages, sum(credits) AS credits, sum(delivered) AS delivered, sum(failed) AS failed
    FROM taken GROUP BY 1, 2, 3, 4, 5
  ), measured AS (
    SELECT workspace_id, channel, at, m.measure, m.key, m.count FROM grouped, LATERAL (VALUES
      ('messages', '', messages),
      ('credits', '', credits),
      ('delivered', '', delivered),
      ('failed', '', failed),
      ('reason', COALESCE(reason, 'unknown'), failed),
      ('wait', wait, CASE WHEN wait IS NOT NULL THEN delivered END)
    ) AS m (measure, key, count) WHERE m.count <> 0
  ), added AS (
    INSERT INTO message_rollups AS r (workspace_id, unit, at, channel, measure, key, count)
    SELECT workspace_id, unit, date_trunc(unit, at, 'UTC'), channel, measure, key, sum(count)
    FROM measured, (VALUES ('hour'), ('day')) AS u (unit)
    WHERE unit = 'day' OR at > ${firstHour}
    GROUP BY 1, 2, 3, 4, 5, 6 ORDER BY 1, 2, 3, 4, 5, 6
    ON CONFLICT (workspace_id, unit, at, channel, measure, key) DO UPDATE SET count = r.count + EXCLUDED.count
  )
  SELECT count(*) AS count FROM taken`;

const deleteHours = `
  DELETE FROM message_rollups WHERE ctid = ANY (ARRAY(
    SELECT ctid FROM message_rollups WHERE unit = 'hour' AND at < ${firstHour} LIMIT $1)) RETURNING 1`;
