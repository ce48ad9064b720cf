/** A replay claims a delivery just before it attempts it, so that a cancel stops all attempts that have not begun. */
import { type Database, select, selectIds } from '../../db/database.js';
import { isHeld, lockedDeliveries } from '../deliveries/locked-deliveries.js';

/** `taken`: the delivery is being sent already, was delivered or erased, or its webhook is inactive. `over`: the replay does not run any more. */
export type ReplayClaim = 'claimed' | 'taken' | 'over';

/**
 * Claims deliveries for the next attempts of a replay. Puts failed and held ones at the start of their retry schedule: their first attempt is due
 * now, and the caller makes it, not the retrier. Also claims what this replay has claimed before and did not attempt, because its worker died.
 * Claims nothing whose body was erased meanwhile: the caller may have read it before.
 * @param restartsSchedule the replay takes failed and held deliveries. Otherwise each delivery gets one attempt and keeps its status
 * @returns what became of each claim, in the order of the ids
 */
export async function claimReplayed(
  db: Database,
  replayId: string,
  ids: readonly string[],
  restartsSchedule: boolean,
): Promise<ReplayClaim[]> {
  const sql = restartsSchedule ? restart : once;
  const [found] = await select<{ is_running: boolean; claimed: string[] }>(db, sql, [replayId, ids]);
  if (found?.is_running !== true) return ids.map(() => 'over');
  const claimed = new Set(found.claimed);
  return ids.map((id) => (claimed.has(id) ? 'claimed' : 'taken'));
}

const running = `SELECT id FROM replays WHERE id = $1 AND status = 'running'`;

/** SQL: the events of these deliveries that are not erased. An erasure waits for the claim, or the claim sees the erasure. */
const kept = `kept AS MATERIALIZED (
    SELECT e.id FROM events e WHERE e.id IN (SELECT d.event_id FROM deliveries d WHERE d.id = ANY($2::uuid[])) AND e.body IS NOT NULL
    ORDER BY e.id FOR SHARE
  )`;
const isKept = 'd.event_id = ANY (ARRAY(SELECT id FROM kept))';

const once = `
  WITH ${kept}
  SELECT EXISTS (${running}) AS is_running, ARRAY(SELECT d.id FROM deliveries d WHERE d.id = ANY($2::uuid[]) AND ${isKept}) AS claimed`;

/** The lock makes a cancel wait for the claim, or the claim see the cancel, also if it has waited for a delivery meanwhile. */
const restart = `
  WITH running AS (${running} FOR SHARE), ${kept}, claimed AS (
    UPDATE deliveries d SET status = 'pending', ladder_step = 0, in_child = true, carried = false, next_attempt_at = now(),
      webhook_revision = w.revision, replay_id = running.id
    FROM running, webhooks w
    WHERE w.id = d.webhook_id AND w.is_active AND w.deleted_at IS NULL AND d.id IN ${lockedDeliveries(
      `d.id = ANY($2::uuid[]) AND ${isKept}
        AND (d.status IN ('failed', 'held') OR d.status = 'pending' AND (${isHeld} OR d.ladder_step = 0 AND d.replay_id = $1))`,
      'JOIN webhooks w ON w.id = d.webhook_id',
    )} RETURNING d.id
  )
  SELECT EXISTS (SELECT 1 FROM running) AS is_running, ARRAY(SELECT id FROM claimed) AS claimed`;

/** The deliveries among these whose retry schedule was last started by this replay. */
export function claimedByReplay(db: Database, replayId: string, ids: readonly string[]): Promise<string[]> {
  return selectIds(db, ofReplay, [ids, replayId]);
}

const ofReplay = 'SELECT id FROM deliveries WHERE id = ANY($1::uuid[]) AND replay_id = $2';
