/** Opt-outs and opt-ins of recipients, each recorded in a transaction of its own. */
import { type Database, inTransaction } from '../../../models/db/database.js';
import { type OptOutRequest, type OptRequest, recordOptIn, recordOptOut } from '../../../models/operations/contacts/record-opt-outs.js';
import { namesOnList } from '../../../models/rules/contacts/erasure.js';

/** A request by its recipient. @param key of the digests, see `erasureKey` */
type Of<Request extends OptRequest> = Omit<Request, 'names'> & { recipient: string; key?: Buffer };

const named = <Request extends { channel: OptRequest['channel']; recipient: string; key?: Buffer }>(request: Request) => ({
  ...request,
  names: namesOnList(request.key ?? Buffer.alloc(32), request.channel, request.recipient),
});

export const optOut = (db: Database, request: Of<OptOutRequest>) =>
  inTransaction(db, (transaction) => recordOptOut(db, transaction, named(request)));
export const optIn = (db: Database, sender: Pick<Of<OptRequest>, 'provider' | 'channel' | 'recipient'> & Partial<Of<OptRequest>>) =>
  inTransaction(db, (transaction) =>
    recordOptIn(db, transaction, { source: 'inbound', message_id: null, provider_message_id: null, ...named(sender) }),
  );
