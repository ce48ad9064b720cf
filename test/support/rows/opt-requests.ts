/** Opt-outs and opt-ins of recipients, each recorded in a transaction of its own. */
import { type Database, inTransaction } from '../../../models/db/database.js';
import { type OptOutRequest, type OptRequest, recordOptIn, recordOptOut } from '../../../models/operations/contacts/record-opt-outs.js';

type Sender = Pick<OptRequest, 'provider' | 'channel' | 'recipient'>;

export const optOut = (db: Database, request: OptOutRequest) => inTransaction(db, (transaction) => recordOptOut(db, transaction, request));
export const optIn = (db: Database, sender: Sender & Partial<OptRequest>) =>
  inTransaction(db, (transaction) =>
    recordOptIn(db, transaction, { source: 'inbound', message_id: null, provider_message_id: null, ...sender }),
  );
