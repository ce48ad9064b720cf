import { type Database, inTransaction } from '../../db/database.js';
import { conflict, notFound } from '../../errors.js';
import { Message, type MessageRow } from '../../tables/message.js';
import { recordStatuses } from './record-statuses.js';

/**
 * Cancels a message that has not been handed to a provider: failed, `cancelled`, refunded, with its event.
 * Cancelling it again changes nothing.
 * @throws AppError 404 when the workspace has no such message, 409 when it is too late
 */
export async function cancelMessage(db: Database, workspaceId: string, id: string): Promise<MessageRow> {
  const message = await Message.owned(workspaceId, id);
  if (message.status === 'accepting') throw notFound('Message');
  const change = {
    id: message.id,
    status_detail: 'cancelled',
    at: new Date(),
    error_code: 'cancelled',
    error_message: 'The message was cancelled before it was handed to the provider',
  } as const;
  const [cancelled] = await inTransaction(db, (transaction) =>
    // `sending` is the claim of a hand-off that is under way; it is given back when the provider could not be reached.
    recordStatuses(db, transaction, { to: 'failed', from: ['queued'], details: ['scheduled', 'accepted'], changes: [change] }),
  );
  if (cancelled !== undefined) return { ...message.get(), ...cancelled };
  await message.reload();
  if (message.status_detail === 'cancelled') return message.get();
  throw conflict('Message can no longer be cancelled');
}
