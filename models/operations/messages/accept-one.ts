import { makeId } from '../../rules/values/make-id.js';
import { type Database, select } from '../../db/database.js';
import { workMetrics } from '../../metrics/catalogue.js';
import type { MessageRow } from '../../tables/message.js';
import { debitOf } from '../billing/post-credits.js';
import { isStreamed } from './write-events.js';

/** SQL: the description of the ledger entry for the debit of the message in this row. */
export const debitDescription = `'1 ' || channel || ' message'`;

/**
 * The common case of acceptance, in one statement instead of a transaction of five round trips: a group of one message that its workspace
 * can pay, without webhooks or streams for `message.queued`.
 * @returns null if it is another case, or decided already. Nothing was changed then
 */
export async function acceptOne(db: Database, groupId: string): Promise<Pick<MessageRow, 'id' | 'channel' | 'scheduled_at'> | null> {
  const [accepted] = await select<MessageRow>(db, accept, [groupId, makeId()]);
  if (accepted === undefined) return null;
  workMetrics.statuses.inc({ channel: accepted.channel, status: 'queued' });
  return accepted;
}

// The lock makes a second call wait for the first, and then find nothing undecided.
const accept = `
  WITH undecided AS (
    SELECT id, workspace_id, cost AS amount, ${debitDescription} AS description FROM messages m
    WHERE id = $1 AND group_id = $1 AND status = 'accepting' AND NOT EXISTS (
      SELECT 1 FROM webhooks w WHERE w.workspace_id = m.workspace_id AND w.deleted_at IS NULL AND 'message.queued' = ANY (w.events))
      AND NOT ${isStreamed('m')}
    FOR UPDATE OF m
  ), ${debitOf('undecided', '$2')}
  UPDATE messages m SET status = 'queued', credits_used = m.cost FROM posted WHERE m.id = posted.reference::uuid
  RETURNING m.id, m.channel, m.scheduled_at`;
