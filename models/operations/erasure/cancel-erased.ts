import { type Database, inTransaction, select, type Transaction } from '../../db/database.js';
import { groupBy } from '../../rules/values/group-by.js';
import { announcePage } from '../batches/open-page.js';
import { cancelledChanges, cancelling, isCancellable, lockCancellable } from '../messages/cancel-messages.js';
import { recordStatuses } from '../messages/record-statuses.js';

interface Cancellable {
  id: string;
  group_id: string;
  batch_id: string | null;
  workflow_id: string;
}

/**
 * Cancels those of these messages that were not handed off, with refunds and events, because their recipient is being erased.
 * @returns their workflows, which deliver the events
 */
export async function cancelErased(db: Database, ids: readonly string[]): Promise<string[]> {
  const found = await select<Cancellable>(db, cancellable, [ids]);
  const singles = found.filter(({ batch_id }) => batch_id === null).map(({ id }) => id);
  if (singles.length > 0) await inTransaction(db, (transaction) => cancel(db, transaction, singles));
  const paged = groupBy(
    found.filter(({ batch_id }) => batch_id !== null),
    ({ group_id }) => group_id,
  );
  for (const [groupId, rows] of paged) {
    await inTransaction(db, async (transaction) => {
      await announcePage(db, transaction, groupId);
      await cancel(
        db,
        transaction,
        rows.map(({ id }) => id),
      );
    });
  }
  return [...new Set(found.map(({ workflow_id }) => workflow_id))];
}

async function cancel(db: Database, transaction: Transaction, ids: readonly string[]): Promise<void> {
  const locked = await lockCancellable(db, transaction, ids);
  await recordStatuses(db, transaction, { ...cancelling, changes: cancelledChanges(locked, erased) });
}

const erased = 'The recipient was erased before the message was handed to the provider';

const cancellable = `
  SELECT m.id, m.group_id, m.batch_id, g.workflow_id FROM messages m JOIN message_groups g ON g.id = m.group_id
  WHERE m.id = ANY($1::uuid[]) AND ${isCancellable}`;
