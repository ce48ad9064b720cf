/** Retention of reports that match no message. They belong to another system with the same account at the carrier, or to a restored database. */
import type { Channel } from '../../channels.js';
import { type Database, select, timeAgo } from '../../db/database.js';
import { highestId, idBefore, lowestId } from '../../rules/values/id-time.js';

/** How much longer than the longest timeout of reports they are kept: `replay-reports` may still find their messages. */
const graceSeconds = 30 * 86_400;
const pageSize = 1_000;

/**
 * Deletes reports that still match no message after the longest timeout and 30 days. Goes through all reports once, by their age, until
 * none is left or the time is over. The next call continues.
 * @param untilMs milliseconds since 1970
 * @returns how many were deleted
 */
export async function forgetUnmatched(db: Database, timeoutSeconds: Readonly<Record<Channel, number>>, untilMs: number): Promise<number> {
  const keptMs = (Math.max(...Object.values(timeoutSeconds)) + graceSeconds) * 1000;
  const before = idBefore(await timeAgo(db, keptMs));
  let deleted = 0;
  while (Date.now() < untilMs) {
    const [page] = await select<{ read: number; deleted: number }>(db, forget, [before]);
    deleted += page?.deleted ?? 0;
    if ((page?.read ?? 0) < pageSize) break;
  }
  return deleted;
}

// The place of this sweep has no workspace, and the id 0 is that of `eraseOld`. Start and size of a page: see forget-webhook-data.ts. The rows
// are locked in the order of their ids: a hand-off or a replay may match them at the same time, and then they stay. They are looked up by their ids:
// the planner expects few reports without a message, because it multiplies the shares of the three columns, and would join all of them.
const forget = `
  WITH page AS MATERIALIZED (
    SELECT d.id FROM delivery_reports d
    WHERE d.id > COALESCE((SELECT place FROM erasure_places WHERE workspace_id = '${highestId}' AND kind = 'reports'), '${lowestId}') AND d.id < $1
    ORDER BY d.id LIMIT ${pageSize}
  ), unmatched AS MATERIALIZED (
    SELECT d.id FROM delivery_reports d
    WHERE d.id = ANY (ARRAY(SELECT id FROM page)) AND d.applied_at IS NULL AND d.message_id IS NULL AND d.group_id IS NULL ORDER BY d.id FOR UPDATE OF d
  ), deleted AS (
    DELETE FROM delivery_reports d USING unmatched WHERE d.id = unmatched.id RETURNING d.id
  )
  INSERT INTO erasure_places AS p (workspace_id, kind, place) SELECT '${highestId}', 'reports', id FROM page ORDER BY id DESC LIMIT 1
  ON CONFLICT (workspace_id, kind) DO UPDATE SET place = GREATEST(p.place, excluded.place)
  RETURNING (SELECT count(*) FROM page) AS read, (SELECT count(*) FROM deleted) AS deleted`;
