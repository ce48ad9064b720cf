import { makeId } from '../../rules/values/make-id.js';
import type { Database } from '../../db/database.js';
import type { ReadTurn } from '../../flow/concurrency-limit.js';
import type { Origin } from '../../rules/audit/origin.js';
import { asCaller } from '../accounts/as-caller.js';
import { Replay } from '../../tables/replay.js';
import { assertBelow, type Quota, withinQuota } from '../workspaces/within-quota.js';
import { countForReplay, type ReplayRange } from './replay-deliveries.js';

/**
 * Counts the deliveries of a replay, unless there are too many, and stores the replay as running. A replay without deliveries ends at once. The
 * caller starts its workflow; if the caller dies, the watcher starts it.
 * @param countedMax how many are counted; tests lower it
 * @throws AppError limit_reached if the workspace has the maximum number of running replays, unauthorized if the credential has ended
 */
export async function beginReplay(
  db: Database,
  range: ReplayRange,
  quota: Quota,
  { origin, turn, countedMax }: { origin: Origin; turn: ReadTurn; countedMax?: number },
): Promise<Replay> {
  await assertBelow(db, quota); // before the count, which may read many rows
  const matched = await turn(() => countForReplay(db, range, countedMax));
  const { webhookId, since, until, statuses } = range;
  const row = { id: makeId(), webhook_id: webhookId, since, until, statuses: [...statuses], matched };
  if (matched === 0) {
    return asCaller(db, quota.workspaceId, origin, (transaction) =>
      Replay.create({ ...row, status: 'completed', ended_at: new Date() }, { transaction }),
    );
  }
  return withinQuota(db, quota, (transaction) => Replay.create({ ...row, status: 'running' }, { transaction }), origin);
}
