import { canNoLonger } from '../../conflicts.js';
import { type Database, inTransaction } from '../../db/database.js';
import { Message, type MessageRow } from '../../tables/message.js';
import { announcePage } from '../batches/open-page.js';
import { cancelledChanges, cancelling } from './cancel-messages.js';
import { recordStatuses } from './record-statuses.js';

/**
 * Cancels a message that has not been handed off: it fails as `cancelled` and is refunded, with its event. A second call changes nothing.
 * @returns the message, and whether this call cancelled it
 * @throws AppError not_found if the workspace has no such message, conflict if it is too late
 */
export async function cancelMessage(db: Database, workspaceId: string, id: string): Promise<{ message: MessageRow; isNew: boolean }> {
  const message = await Message.decided(workspaceId, id);
  const [cancelled] = await inTransaction(db, async (transaction) => {
    await announcePage(db, transaction, message.group_id);
    // `sending` means that a hand-off has claimed the message. The claim is released if the provider could not be reached.
    return recordStatuses(db, transaction, { ...cancelling, changes: cancelledChanges([message.id], byClient) });
  });
  if (cancelled !== undefined) return { message: { ...message.get(), ...cancelled }, isNew: true };
  await message.reload();
  if (message.status_detail === 'cancelled') return { message: message.get(), isNew: false };
  throw canNoLonger('Message', 'cancelled');
}

const byClient = 'The message was cancelled before it was handed to the carrier';
