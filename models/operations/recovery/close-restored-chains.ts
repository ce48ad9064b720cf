import { type Database, select, selectOne } from '../../db/database.js';
import type { Recovery } from './begin-recovery.js';

type Times = Pick<Recovery, 'id' | 'began_at' | 'stopped_at'>;

/** SQL: the next step of the chain `f` may have been sent in the lost time, because it was due in it. `m` is its message. */
const mayHaveBeenSent = `
  f.outcome IS NULL AND m.status <> 'accepting' AND m.created_at <= $1
    AND (m.scheduled_at IS NULL OR m.scheduled_at <= $2::timestamptz + interval '1 second')`;

/** How many chains `closeRestoredChains` would close. */
export async function countRestoredChains(db: Database, { began_at, stopped_at }: Times): Promise<number> {
  return (await selectOne<{ count: number }>(db, count, [began_at, stopped_at])).count;
}

const count = `SELECT count(*) FROM fallbacks f JOIN messages m ON m.id = f.message_id WHERE ${mayHaveBeenSent}`;

/**
 * Ends fallback chains whose next step may have been sent in the lost time: the restored database does not know that message, and would
 * send it again. The steps are not sent, and the recovery records the chains.
 * @returns how many were closed; below `limit`: there are no more
 */
export async function closeRestoredChains(db: Database, { id, began_at, stopped_at }: Times, limit: number): Promise<number> {
  return (await select(db, close, [began_at, stopped_at, id, limit])).length;
}

const close = `
  WITH closed AS (
    UPDATE fallbacks SET outcome = 'unknown', decided_at = now()
    WHERE message_id IN (
      SELECT f.message_id FROM fallbacks f JOIN messages m ON m.id = f.message_id WHERE ${mayHaveBeenSent} ORDER BY f.due_at LIMIT $4 FOR UPDATE OF f
    ) RETURNING message_id
  )
  INSERT INTO recovery_messages (recovery_id, kind, message_id) SELECT $3, 'fallback', message_id FROM closed
  ON CONFLICT DO NOTHING RETURNING message_id`;
