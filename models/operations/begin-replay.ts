import { v7 as uuidv7 } from 'uuid';
import type { Database } from '../database.js';
import { Replay } from '../replay.js';
import { countReplayable, type ReplayRange } from './replay-deliveries.js';

/**
 * Counts what a replay takes and stores it, running; one that takes nothing has ended. Whoever calls this starts its workflow,
 * else the watcher does.
 */
export async function beginReplay(db: Database, range: ReplayRange): Promise<Replay> {
  const matched = await countReplayable(db, range);
  const { webhookId, since, until, statuses } = range;
  const row = { id: uuidv7(), webhook_id: webhookId, since, until, statuses: [...statuses], matched };
  return Replay.create({ ...row, ...(matched === 0 ? { status: 'completed', ended_at: new Date() } : { status: 'running' }) });
}
