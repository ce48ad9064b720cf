import { type Database, select } from '../../db/database.js';
import { isOpen } from '../../rules/messages/status.js';

/** The open work of a group. */
export interface GroupWork {
  /** How many messages wait for a hand-off or a report. */
  open: number;
  /** How many messages wait for a hand-off. */
  queued: number;
  /** How many deliveries the group has to attempt first or to leave to retriers. */
  deliveries: number;
  /** The inbox has reports that were not applied. */
  reports: boolean;
  /** The group is a page of a paused batch. */
  paused: boolean;
}

/** Counts the open work of a group in one statement. */
export async function countGroupWork(db: Database, groupId: string): Promise<GroupWork> {
  const [work] = await select<GroupWork>(db, count, [groupId]);
  return work ?? { open: 0, queued: 0, deliveries: 0, reports: false, paused: false };
}

const count = `
  SELECT count(*) FILTER (WHERE ${isOpen('m')}) AS open,
    count(*) FILTER (WHERE m.status = 'queued') AS queued,
    (SELECT count(*) FROM deliveries d WHERE d.group_id = $1 AND d.status = 'pending' AND NOT d.in_child) AS deliveries,
    EXISTS (SELECT 1 FROM delivery_reports d WHERE d.group_id = $1 AND d.applied_at IS NULL) AS reports,
    COALESCE((SELECT b.status = 'paused' FROM batches b JOIN message_groups g ON g.batch_id = b.id WHERE g.id = $1), false) AS paused
  FROM messages m WHERE m.group_id = $1`;
