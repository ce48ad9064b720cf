/**
 * Ends the open work of a closed workspace: cancels its batches, forgets its recipients and its owner, then cancels its single messages, in
 * steps of bounded size. Each step records its progress, so that a crash loses one step only. Steps may run twice and concurrently.
 */
import { type Database, inTransaction, select, selectIds } from '../../db/database.js';
import { AppError } from '../../errors.js';
import { idBefore, lowestId } from '../../rules/values/id-time.js';
import { cancelBatch } from '../batches/change-batch.js';
import { forgetOwner } from './forget-owner.js';
import { accountClosed, cancelMessages } from '../messages/cancel-messages.js';

/** How many messages one step reads. */
const pageSize = 1_000;
/** Requests that had begun when the account was closed are decided after this time. */
const graceSeconds = 60;

/** Closed workspaces with open work, or whose owner is not forgotten, in the order of their closing. */
export function closingWorkspaces(db: Database, limit: number): Promise<string[]> {
  return selectIds(db, closing, [limit]);
}

/**
 * Runs steps until no work is open or the time is over.
 * @param untilMs milliseconds since 1970. No step begins later
 * @returns whether the workspace is settled
 */
export async function settleClosed(db: Database, workspaceId: string, untilMs: number, page = pageSize): Promise<boolean> {
  for (const id of await selectIds(db, openBatches, [workspaceId])) {
    if (Date.now() > untilMs) return false;
    await cancelBatch(db, workspaceId, id).catch(ignoreConflict);
  }
  if (!(await eraseRecipients(db, workspaceId, untilMs, page))) return false;
  if (!(await forgetOwner(db, workspaceId, untilMs, page))) return false;
  let from: string | null = null;
  for (;;) {
    const { isLast, reached } = await cancelNext(db, workspaceId, from, page);
    if (isLast) return (await select(db, settle, [workspaceId, graceSeconds])).length > 0;
    if (Date.now() > untilMs) return false;
    from = reached;
  }
}

/** Erases the recipients. The retention of messages erases the texts. @returns false if the time was over before all recipients were erased */
async function eraseRecipients(db: Database, workspaceId: string, untilMs: number, page: number): Promise<boolean> {
  for (const table of ['contacts', 'suppressions']) {
    for (let gone = page; gone === page; ) {
      if (Date.now() > untilMs) return false;
      gone = (await select(db, forget(table), [workspaceId, page])).length;
    }
  }
  return true;
}

const forget = (table: string) =>
  `DELETE FROM ${table} WHERE id IN (SELECT id FROM ${table} WHERE workspace_id = $1 ORDER BY id LIMIT $2) RETURNING id`;

interface ClosingPlace {
  after: string | null;
  left: string[];
  closed_at: Date;
}

/**
 * Cancels the next messages where possible, and those that an earlier step found in a hand-off or in acceptance.
 * @param from the place where the last step ended; null at the beginning
 */
function cancelNext(
  db: Database,
  workspaceId: string,
  from: string | null,
  page: number,
): Promise<{ isLast: boolean; reached: string | null }> {
  return inTransaction(db, async (transaction) => {
    const [place] = await select<ClosingPlace>(db, placeOf, [workspaceId], transaction);
    if (place === undefined) return { isLast: true, reached: null };
    const after = from ?? place.after ?? lowestId;
    const rows = await select<{ id: string; is_undecided: boolean }>(db, nextPage, [workspaceId, after, page], transaction);
    const undecided = [...new Set([...place.left, ...rows.filter(({ is_undecided }) => is_undecided).map(({ id }) => id)])];
    await cancelMessages(db, transaction, undecided, accountClosed);
    const reached = rows.at(-1)?.id ?? after;
    // A message that was accepted while the account was closed may have a smaller id than one that was read before.
    const first = idBefore(place.closed_at);
    await select(db, recordProgress, [workspaceId, reached < first ? reached : first, undecided], transaction);
    return { isLast: rows.length < page, reached };
  });
}

/** The batch has ended meanwhile. */
function ignoreConflict(error: unknown): void {
  if (!(error instanceof AppError && error.code === 'conflict')) throw error;
}

const closing = 'SELECT id FROM workspaces WHERE closed_at IS NOT NULL AND forgotten_at IS NULL ORDER BY closed_at LIMIT $1';
const openBatches = `SELECT id FROM batches WHERE workspace_id = $1 AND completed_at IS NULL AND status <> 'accepting' ORDER BY id`;
const placeOf = `
  SELECT closing_after AS after, closing_left AS left, closed_at FROM workspaces WHERE id = $1 AND closed_at IS NOT NULL`;
const nextPage = `
  SELECT id, batch_id IS NULL AND status IN ('accepting', 'queued') AS is_undecided
  FROM messages WHERE workspace_id = $1 AND id > $2 ORDER BY id LIMIT $3`;
const recordProgress = `
  UPDATE workspaces SET closing_after = $2,
    closing_left = ARRAY(SELECT id FROM messages WHERE id = ANY($3::uuid[]) AND status IN ('accepting', 'queued') ORDER BY id)
  WHERE id = $1`;
const settle = `
  UPDATE workspaces SET settled_at = COALESCE(settled_at, now()), forgotten_at = now()
  WHERE id = $1 AND forgotten_at IS NULL AND closing_left = '{}' AND closed_at < now() - $2 * interval '1 second'
    AND NOT EXISTS (SELECT 1 FROM batches WHERE workspace_id = $1 AND completed_at IS NULL)
  RETURNING id`;
