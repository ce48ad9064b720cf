import { type Database, inTransaction } from '../../db/database.js';
import { lockMessages } from './record-opt-outs.js';
import { suppress } from './suppress.js';

/** Suppresses the recipient of a mail, who used the link in it. @returns false if there is no such message */
export function unsubscribe(db: Database, messageId: string): Promise<boolean> {
  return inTransaction(db, async (transaction) => {
    const [message] = await lockMessages(db, transaction, [messageId]);
    if (message === undefined) return false;
    const { id: message_id, to: recipient, ...rest } = message;
    await suppress(db, [{ ...rest, recipient, reason: 'opt_out', source: 'unsubscribe', message_id }], transaction);
    return true;
  });
}
