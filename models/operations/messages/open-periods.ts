import { type Database, select } from '../../db/database.js';
import { highestId, idAfter, idBefore, lowestId } from '../../rules/values/id-time.js';
import { hourDays } from '../workspaces/roll-up-changes.js';

/** Ids from the first to the second. */
export type IdRange = [first: string, last: string];

/** Older periods beyond this number become one range. */
const rangesMax = 100;

/**
 * The ids of all messages of a workspace that are queued or sent, as ranges that contain others too. The newest first; they do not overlap.
 * Where almost all messages are delivered or failed, the ranges are a small part of all ids. They follow from the sums by hour and day, and
 * from the notes that are not added to them yet.
 */
export async function openPeriods(db: Database, workspaceId: string): Promise<IdRange[]> {
  const periods = await select<{ from: Date; to: Date }>(db, open, [workspaceId]);
  const ranges: IdRange[] = [[idBefore(new Date()), highestId]]; // a message may have come since
  for (const { from, to } of periods) {
    const [first, last] = [idBefore(from), idAfter(to)];
    const newer = ranges.at(-1) as IdRange;
    if (last >= newer[0]) newer[0] = first < newer[0] ? first : newer[0];
    else if (ranges.length < rangesMax) ranges.push([first, last]);
    else newer[0] = lowestId;
  }
  return ranges;
}

// Sums by hour are kept for some days; the days before them begin a day later, because a note of that day may be in either.
const open = `
  SELECT at AS "from", at + length AS "to" FROM (
    SELECT at, interval '1 hour' AS length, CASE measure WHEN 'messages' THEN count ELSE -count END AS open FROM message_rollups
    WHERE workspace_id = $1 AND unit = 'hour' AND measure IN ('messages', 'delivered', 'failed')
    UNION ALL
    SELECT at, interval '1 day', CASE measure WHEN 'messages' THEN count ELSE -count END FROM message_rollups
    WHERE workspace_id = $1 AND unit = 'day' AND at < now() - interval '${hourDays - 1} days' AND measure IN ('messages', 'delivered', 'failed')
    UNION ALL
    SELECT date_trunc('hour', at, 'UTC'), interval '1 hour', messages - delivered - failed FROM message_changes WHERE workspace_id = $1
  ) AS counted GROUP BY at, length HAVING sum(open) > 0 ORDER BY 2 DESC`;
