import { v7 as uuidv7 } from 'uuid';
import type { Database } from '../../db/database.js';
import { Replay } from '../../tables/replay.js';
import { type Quota, withinQuota } from '../billing/within-quota.js';
import { countReplayable, type ReplayRange } from './replay-deliveries.js';

/**
 * Counts what a replay takes and stores it, running; one that takes nothing has ended. Whoever calls this starts its workflow,
 * else the watcher does.
 * @throws AppError 409 when the workspace has as many under way as it can have
 */
export async function beginReplay(db: Database, range: ReplayRange, quota: Quota): Promise<Replay> {
  const matched = await countReplayable(db, range);
  const { webhookId, since, until, statuses } = range;
  const row = { id: uuidv7(), webhook_id: webhookId, since, until, statuses: [...statuses], matched };
  if (matched === 0) return Replay.create({ ...row, status: 'completed', ended_at: new Date() });
  return withinQuota(db, quota, (transaction) => Replay.create({ ...row, status: 'running' }, { transaction }));
}
