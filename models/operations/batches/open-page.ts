import { type Channel, someChannel } from '../../channels.js';
import { type Database, inTransaction, select, type Transaction } from '../../db/database.js';
import { namesOf } from '../../tables/columns.js';
import { statusColumns } from '../../tables/message.js';
import { type Subscribed, subscribed, writeEvents } from '../messages/write-events.js';

/** When a page is due, and on which channel. */
export interface PageStart {
  channel: Channel;
  scheduledAt: Date | null;
}

/** Writes the `message.queued` events of a page, once. The batch was debited as a whole. */
export const openPage = (db: Database, groupId: string): Promise<void> =>
  inTransaction(db, (transaction) => announcePage(db, transaction, groupId));

/** When a page is due. */
export async function startOfPage(db: Database, groupId: string): Promise<PageStart> {
  const [start] = await select<PageStart>(db, startOf, [groupId]);
  return start ?? { channel: someChannel, scheduledAt: null };
}

const startOf = `
  SELECT b.channel, b.scheduled_at AS "scheduledAt" FROM batches b JOIN message_groups g ON g.batch_id = b.id WHERE g.id = $1`;

/**
 * Writes the `message.queued` events of a page, once, before any event of a later status. They are not written with the debit, because that
 * would lock the balance for all pages. Does nothing for a group of single messages, whose events are written with the debit.
 */
export async function announcePage(db: Database, transaction: Transaction, groupId: string): Promise<void> {
  const first = await select(db, announce, [groupId], transaction);
  if (first.length === 0) return;
  await writeEvents(db, transaction, 'message.queued', await select<Subscribed>(db, queued, [groupId, 'message.queued'], transaction));
}

const announce =
  'UPDATE message_groups SET announced_at = now() WHERE id = $1 AND batch_id IS NOT NULL AND announced_at IS NULL RETURNING id';
const queued = `${subscribed(`SELECT ${namesOf(statusColumns)} FROM messages WHERE group_id = $1 AND status = 'queued'`, '$2')} ORDER BY m.id`;
