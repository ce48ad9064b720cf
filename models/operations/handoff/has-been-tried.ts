import { type Database, selectOne } from '../../db/database.js';

/** Whether a call for a message of the group that is still queued began in this time. */
export async function hasBeenTried(db: Database, groupId: string, withinSeconds: number): Promise<boolean> {
  return (await selectOne<{ tried: boolean }>(db, tried, [groupId, withinSeconds])).tried;
}

const tried = `
  SELECT EXISTS (
    SELECT 1 FROM messages m JOIN send_attempts a ON a.message_id = m.id
    WHERE m.group_id = $1 AND m.status = 'queued' AND a.started_at > now() - $2::double precision * interval '1 second'
  ) AS tried`;
