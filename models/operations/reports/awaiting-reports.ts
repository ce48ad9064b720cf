import { type Database, select } from '../../db/database.js';
import { lowestId } from '../../rules/values/id-time.js';

/** A message that was handed off and has no final report. */
export interface AwaitedReport {
  id: string;
  provider: string;
  provider_message_id: string;
}

/** The messages of a group that were handed off and have no final report, in the order of their ids. @param after only those with greater ids */
export function awaitingReports(db: Database, groupId: string, after: string | null = null): Promise<AwaitedReport[]> {
  return select(
    db,
    `SELECT id, provider, provider_message_id FROM messages
     WHERE group_id = $1 AND status = 'sent' AND status_detail = 'awaiting_report' AND provider_message_id IS NOT NULL AND id > $2::uuid ORDER BY id`,
    [groupId, after ?? lowestId],
  );
}
