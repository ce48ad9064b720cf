import { type Database, select } from '../../db/database.js';

/** Whether messages of a group have failed whose events the group still has to attempt or to leave to retriers. */
export async function hasUnannouncedFailures(db: Database, groupId: string): Promise<boolean> {
  return (await select(db, unannounced, [groupId])).length > 0;
}

const unannounced = `
  SELECT 1 FROM deliveries d JOIN messages m ON m.id = d.message_id
  WHERE d.group_id = $1 AND d.status = 'pending' AND NOT d.in_child AND m.status = 'failed' LIMIT 1`;
