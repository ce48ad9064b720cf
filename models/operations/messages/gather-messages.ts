/** Single messages that lost their workflows are driven on together: a workflow for each would cost several times as much. */
import { v7 as uuidv7 } from 'uuid';
import { type Database, inTransaction, select } from '../../db/database.js';
import { lockedDeliveries } from '../webhooks/locked-deliveries.js';

/** A group that was made of others. */
export interface Gathered {
  groupId: string;
  /** Its messages, in the order of their ids. */
  ids: string[];
}

/**
 * Moves messages that were certainly never handed off from groups of their own into a new one. Each of them is in exactly one group at any
 * time, and is claimed by that group alone: a workflow of a former group that should live after all finds nothing to do and ends.
 * What has changed since it was found stays where it is.
 * @param groupIds groups of one message each, of one channel, that share nothing with a chain or a batch
 * @param workflowIdOf the id of the workflow of a group that messages share
 * @returns undefined when nothing was left to move
 */
export function gatherMessages(
  db: Database,
  groupIds: readonly string[],
  workflowIdOf: (groupId: string) => string,
): Promise<Gathered | undefined> {
  return inTransaction(db, async (transaction) => {
    const groupId = uuidv7();
    await select(db, lock, [groupIds], transaction);
    await select(db, 'INSERT INTO message_groups (id, workflow_id) VALUES ($1, $2)', [groupId, workflowIdOf(groupId)], transaction);
    const moved = await select<{ id: string }>(db, move, [groupIds, groupId], transaction);
    if (moved.length === 0) {
      await select(db, 'DELETE FROM message_groups WHERE id = $1', [groupId], transaction);
      return undefined;
    }
    // Their ids were those of their groups.
    const former = moved.map(({ id }) => id);
    await select(db, moveDeliveries, [former, groupId], transaction);
    await select(db, 'DELETE FROM message_groups WHERE id = ANY($1::uuid[])', [former], transaction);
    return { groupId, ids: former.toSorted() };
  });
}

// Groups are locked in the order of their ids, as by those who wake them.
const lock = 'SELECT id FROM message_groups WHERE id = ANY($1::uuid[]) ORDER BY id FOR UPDATE';

// A message with an attempt may be known to a provider, whose report would look for it in its former group.
const move = `
  UPDATE messages m SET group_id = $2
  FROM (
    SELECT id FROM messages
    WHERE group_id = ANY($1::uuid[]) AND id = group_id AND batch_id IS NULL AND status = 'queued' AND status_detail IN ('scheduled', 'accepted')
    ORDER BY id FOR UPDATE
  ) locked
  WHERE m.id = locked.id AND NOT EXISTS (SELECT 1 FROM send_attempts a WHERE a.message_id = m.id)
  RETURNING m.id`;

const moveDeliveries = `
  UPDATE deliveries SET group_id = $2
  WHERE id IN ${lockedDeliveries(`d.group_id = ANY($1::uuid[]) AND d.status = 'pending'`)}`;
