import { type Database, select, type Transaction } from '../../db/database.js';
import { isOpen } from '../../rules/messages/status.js';
import type { GroupWork } from '../messages/count-group-work.js';

/** How many messages of a group wait for a hand-off or a report. 0: the group is closed. */
export type OpenWork = Pick<GroupWork, 'open'>;

/**
 * Closes a group if nothing is open. Runs while the transaction holds the lock of the group's row: a report that arrives meanwhile finds the
 * group closed and is applied as a late one.
 */
export async function closeIfDone(db: Database, transaction: Transaction, groupId: string): Promise<OpenWork> {
  const [state] = await select<OpenWork>(db, close, [groupId], transaction);
  return state ?? { open: 0 };
}

/** SQL: CTEs that close a group, with `state` (open). Messages that the same statement changes count as they were before. */
export const closing = (group: string) => `
  state AS (
    SELECT count(*) AS open FROM messages m WHERE m.group_id = ${group} AND ${isOpen('m')}
  ), closed AS (
    UPDATE message_groups SET closed_at = COALESCE(closed_at, now()) WHERE id = ${group} AND (SELECT open FROM state) = 0
  )`;

const close = `WITH ${closing('$1')} SELECT open FROM state`;
