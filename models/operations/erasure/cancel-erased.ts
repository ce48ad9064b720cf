import { type Database, inTransaction, select } from '../../db/database.js';
import { groupBy } from '../../rules/values/group-by.js';
import { announcePage } from '../batches/open-page.js';
import { cancelMessages, isCancellable } from '../messages/cancel-messages.js';

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
  if (singles.length > 0) await inTransaction(db, (transaction) => cancelMessages(db, transaction, singles, erased));
  const paged = groupBy(
    found.filter(({ batch_id }) => batch_id !== null),
    ({ group_id }) => group_id,
  );
  for (const [groupId, rows] of paged) {
    await inTransaction(db, async (transaction) => {
      await announcePage(db, transaction, groupId);
      const ids = rows.map(({ id }) => id);
      await cancelMessages(db, transaction, ids, erased);
    });
  }
  return [...new Set(found.map(({ workflow_id }) => workflow_id))];
}

const erased = 'The recipient was erased before the message was handed to the carrier';

const cancellable = `
  SELECT m.id, m.group_id, m.batch_id, g.workflow_id FROM messages m JOIN message_groups g ON g.id = m.group_id
  WHERE m.id = ANY($1::uuid[]) AND ${isCancellable}`;
