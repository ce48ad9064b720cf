/** Moves single messages that lost their workflows into one group. One workflow for each would cost several times as much. */
import { makeId } from '../../rules/values/make-id.js';
import { type Database, inTransaction, select, selectIds } from '../../db/database.js';
import { isCancellable } from './cancel-messages.js';
import { lockedDeliveries } from '../deliveries/locked-deliveries.js';

/** A group that was made from others. */
export interface Gathered {
  groupId: string;
  /** Its messages, in the order of their ids. */
  ids: string[];
}

/**
 * Moves messages that were certainly never handed off from their own groups into a new one. Each message is in exactly one group at any
 * time, and only that group claims it: if a workflow of a former group is still alive, it finds nothing to do and ends. A message whose
 * state has changed since it was found stays in its group.
 * @param groupIds groups of one message each, of one channel, without a chain or a batch
 * @param workflowIdOf the id of the workflow of a group that messages share
 * @returns undefined if nothing was left to move
 */
export function gatherMessages(
  db: Database,
  groupIds: readonly string[],
  workflowIdOf: (groupId: string) => string,
): Promise<Gathered | undefined> {
  return inTransaction(db, async (transaction) => {
    const groupId = makeId();
    await select(db, lock, [groupIds], transaction);
    await select(db, 'INSERT INTO message_groups (id, workflow_id) VALUES ($1, $2)', [groupId, workflowIdOf(groupId)], transaction);
    const ids = await selectIds(db, lockMovable, [groupIds], transaction);
    // The ids of these messages are the ids of their groups.
    const former = await selectIds(db, move, [ids, groupId], transaction);
    if (former.length === 0) {
      await select(db, 'DELETE FROM message_groups WHERE id = $1', [groupId], transaction);
      return undefined;
    }
    await select(db, moveDeliveries, [former, groupId], transaction);
    await select(db, 'DELETE FROM message_groups WHERE id = ANY($1::uuid[])', [former], transaction);
    return { groupId, ids: former.toSorted() };
  });
}

// Locks groups in the order of their ids, like the operation that wakes them.
const lock = 'SELECT id FROM message_groups WHERE id = ANY($1::uuid[]) ORDER BY id FOR UPDATE';

const lockMovable = `
  SELECT m.id FROM messages m
  WHERE m.group_id = ANY($1::uuid[]) AND m.id = m.group_id AND m.batch_id IS NULL AND ${isCancellable}
  ORDER BY m.id FOR UPDATE`;

// A provider may know a message with an attempt, and its report would look for the message in its former group. A statement of its own: one
// that waited for a message would not see an attempt that was written meanwhile.
const move = `
  UPDATE messages m SET group_id = $2
  WHERE m.id = ANY($1::uuid[]) AND NOT EXISTS (SELECT 1 FROM send_attempts a WHERE a.message_id = m.id)
  RETURNING m.id`;

const moveDeliveries = `
  UPDATE deliveries SET group_id = $2
  WHERE id IN ${lockedDeliveries(`d.group_id = ANY($1::uuid[]) AND d.status = 'pending'`)}`;
