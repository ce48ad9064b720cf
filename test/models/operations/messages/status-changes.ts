/** Records statuses of messages as the worker does, and builds messages that have one. */
import type { Database } from '../../../../models/db/database.js';
import { type Move, recordStatuses, type StatusChange } from '../../../../models/operations/messages/record-statuses.js';
import type { Status, StatusDetail } from '../../../../models/rules/messages/status.js';
import type { MessageRow } from '../../../../models/tables/message.js';
import { buildQueued, buildUndecided } from '../../../support/rows/factories.js';
import { buildSent } from '../../../support/rows/messages.js';

export const failure = { error_code: '30006', error_message: 'Landline or unreachable carrier' };

export const change = (id: string, status_detail: StatusDetail, overrides: Partial<StatusChange> = {}): StatusChange => ({
  id,
  status_detail,
  at: new Date(),
  ...overrides,
});

/** In a transaction of its own. @returns the messages that moved */
export const recordMove = (db: Database, move: Move) => db.transaction((transaction) => recordStatuses(db, transaction, move));

/** A message in a status, by the shortest way. @returns its id */
export async function messageIn(db: Database, workspaceId: string, status: Status): Promise<string> {
  if (status === 'accepting') return (await buildUndecided(db, workspaceId)).id;
  if (status === 'queued') return (await buildQueued(db, workspaceId)).id;
  const { id } = await buildSent(db, workspaceId, { channel: 'whatsapp' });
  if (status === 'delivered' || status === 'read') await recordMove(db, { to: 'delivered', changes: [change(id, 'delivered')] });
  if (status === 'failed') await recordMove(db, { to: 'failed', changes: [change(id, 'undeliverable', failure)] });
  if (status === 'read') await recordMove(db, { to: 'read', changes: [change(id, 'read')] });
  return id;
}

/** The times and the failure that statuses write. */
export const factsOf = ({ sent_at, delivered_at, failed_at, read_at, error_code, error_message }: MessageRow) => ({
  sent_at,
  delivered_at,
  failed_at,
  read_at,
  error_code,
  error_message,
});
