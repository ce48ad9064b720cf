/** Wishes of recipients, each recorded in a transaction of its own. */
import { type Database, inTransaction } from '../../../models/db/database.js';
import {
  type OptOutWish,
  type RecipientWish,
  recordOptIn,
  recordOptOut,
  type Sender,
} from '../../../models/operations/contacts/record-opt-outs.js';

export const optOut = (db: Database, wish: OptOutWish) => inTransaction(db, (transaction) => recordOptOut(db, transaction, wish));
export const optIn = (db: Database, sender: Sender & Partial<RecipientWish>) =>
  inTransaction(db, (transaction) =>
    recordOptIn(db, transaction, { source: 'inbound', message_id: null, provider_message_id: null, ...sender }),
  );
