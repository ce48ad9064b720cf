/** Restored messages that may have been handed off in the lost time. */
import type { Channel } from '../../channels.js';
import { type Database, inTransaction, select, selectIds, type Transaction } from '../../db/database.js';
import type { RestoredMessage } from '../../rules/routing/recovery.js';
import { column, only, recordset } from '../../tables/columns.js';
import { sendAttemptColumns } from '../../tables/send-attempt.js';
import type { Recovery } from './begin-recovery.js';
import { isOpenOrUnknown } from '../handoff/uncertain-handoffs.js';

/** A message that waits for its hand-off in the restored database. */
export type RestoredQueued = RestoredMessage & {
  id: string;
  channel: Channel;
  /** The recovery has marked it before. */
  is_marked: boolean;
};

/** The messages of these open groups that wait for their hand-off and were created before the recovery began. */
export function restoredQueued(
  db: Database,
  { id, began_at }: Pick<Recovery, 'id' | 'began_at'>,
  groupIds: readonly string[],
): Promise<RestoredQueued[]> {
  return select<RestoredQueued>(db, queued, [id, began_at, groupIds]);
}

const queued = `
  SELECT m.id, m.channel, m.scheduled_at, m.status_detail, b.status AS batch_status,
    ARRAY(SELECT DISTINCT a.provider FROM send_attempts a WHERE a.message_id = m.id AND ${isOpenOrUnknown('a')}) AS uncertain_at,
    EXISTS (SELECT 1 FROM recovery_messages r WHERE r.recovery_id = $1 AND r.kind = 'uncertain' AND r.message_id = m.id) AS is_marked
  FROM messages m LEFT JOIN batches b ON b.id = m.batch_id
  WHERE m.group_id = ANY($3::uuid[]) AND m.status = 'queued' AND m.created_at <= $2 ORDER BY m.id`;

/** A message, and the accounts that may have it. The hand-off continues with the last one. */
export interface Suspicion {
  id: string;
  accounts: readonly string[];
}

/**
 * Marks messages as perhaps handed off. Each gets an attempt of unknown outcome for every account that may have it, and can no longer be
 * cancelled. From then on, the hand-off treats them like any call whose answer was lost. One transaction. A message that was marked before
 * gets no further attempts, but a new waiting time, and the moment of the call follows a stop that was corrected.
 * @param waitSeconds how long they wait for their delivery report, from now on
 * @returns how many were marked for the first time
 */
export function markUncertain(
  db: Database,
  recovery: Pick<Recovery, 'id' | 'stopped_at'>,
  suspicions: readonly Suspicion[],
  waitSeconds: number,
): Promise<number> {
  return inTransaction(db, async (transaction) => {
    const ids = suspicions.map(({ id }) => id);
    const queuedIds = await selectIds(db, lock, [ids], transaction);
    await select(db, markAsSending, [queuedIds], transaction);
    const fresh = await select<{ message_id: string }>(db, noteUncertain, [recovery.id, queuedIds], transaction);
    const isFresh = new Set(fresh.map(({ message_id }) => message_id));
    await insertAttempts(
      db,
      transaction,
      recovery,
      suspicions.filter(({ id }) => isFresh.has(id)),
    );
    await select(db, waitForReport, [queuedIds, waitSeconds, recovery.stopped_at], transaction);
    return fresh.length;
  });
}

const lock = `SELECT id FROM messages WHERE id = ANY($1::uuid[]) AND status = 'queued' ORDER BY id FOR UPDATE`;

const markAsSending = `UPDATE messages SET status_detail = 'sending' WHERE id = ANY($1::uuid[]) AND status_detail <> 'sending'`;

const noteUncertain = `
  INSERT INTO recovery_messages (recovery_id, kind, message_id) SELECT $1, 'uncertain', id FROM unnest($2::uuid[]) AS id
  ON CONFLICT DO NOTHING RETURNING message_id`;

async function insertAttempts(
  db: Database,
  transaction: Transaction,
  { stopped_at }: Pick<Recovery, 'stopped_at'>,
  suspicions: readonly Suspicion[],
): Promise<void> {
  const rows = suspicions.flatMap(({ id, accounts }) =>
    accounts.map((provider, place) => ({ message_id: id, provider, place: place + 1 })),
  );
  await select(db, attempts, [JSON.stringify(rows), stopped_at], transaction);
}

const givenAttempts = { ...only(sendAttemptColumns, 'message_id', 'provider'), place: column.integer() };

/** The latest possible moment of the call counts as its beginning, because searches at the provider lag behind it. */
const attempts = `
  INSERT INTO send_attempts (message_id, number, provider, outcome, detail, started_at, finished_at)
  SELECT r.message_id, COALESCE((SELECT max(a.number) FROM send_attempts a WHERE a.message_id = r.message_id), 0) + r.place, r.provider, 'unknown', 'restored',
    LEAST($2::timestamptz, now()), now()
  FROM ${recordset('$1', 'r', givenAttempts)}`;

const waitForReport = `
  UPDATE send_attempts a SET give_up_at = now() + $2 * interval '1 second',
    started_at = CASE WHEN a.detail = 'restored' THEN GREATEST(a.started_at, LEAST($3::timestamptz, now())) ELSE a.started_at END
  WHERE a.message_id = ANY($1::uuid[]) AND ${isOpenOrUnknown('a')}`;
