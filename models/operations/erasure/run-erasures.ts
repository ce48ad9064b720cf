/** Carries out the requested erasures, page by page. All progress is in their rows, so that any process can continue them. */
import { type Database, select, selectIds } from '../../db/database.js';
import { highestId } from '../../rules/values/id-time.js';
import { phoneSpellings } from '../../rules/values/phone.js';
import { cancelErased } from './cancel-erased.js';
import { erasurePage } from './erase-messages.js';
import { dueForErasure, eraseOrQueue, waitsForMessages } from './erasure-queue.js';
import { eraseRecipient } from './erase-recipient.js';
import { isRequestedBy } from './requested-by.js';
import { recipientConditions } from '../../rules/messages/recipient.js';

interface Erasure {
  id: string;
  workspace_id: string;
  recipient: string;
  place: string | null;
  walked_at: Date | null;
  rewalked_at: Date | null;
  /** A process of the former version ended the first walk, without noting where the second one begins and for what it waits. */
  lacks_rewalk: boolean;
  /** All transactions that were open at the end of the first walk have ended. */
  may_rewalk: boolean;
  /** What was created later is not part of it. */
  created_at: Date;
}

/** A message that is still open is checked again after this time, and so is an erasure that failed. */
const againInSeconds = 10;

/** Called with the workflows of messages that were cancelled. They deliver the events. */
type OnCancelled = (workflowIds: readonly string[]) => Promise<void>;

interface Observers {
  onCancelled: OnCancelled;
  /** Called with an erasure that failed. The next run continues it. */
  onFailed: (id: string, err: unknown) => void;
}

/**
 * Takes one page of each erasure in turn, so that none waits for a large one. Then the next erasures have their turn, until nothing can be done now
 * or the time is over. No erasure waits for one that fails.
 * @param untilMs milliseconds since 1970
 * @returns how many were completed
 */
export async function runErasures(db: Database, key: Buffer, untilMs: number, { onCancelled, onFailed }: Observers): Promise<number> {
  const isOver = () => Date.now() >= untilMs;
  const taken: string[] = []; // one that waits, or failed, has had its turn
  const next = async () => {
    const ids = await selectIds(db, running, [taken]);
    taken.push(...ids);
    return ids;
  };
  let completed = 0;
  for (let open = await next(); open.length > 0 && !isOver(); ) {
    const more: string[] = [];
    for (const id of open) {
      if (isOver()) break;
      const outcome = await advance(db, key, id, onCancelled).catch(async (err: unknown) => {
        await select(db, noteFailure, [id]).catch(() => undefined); // the first error tells what is wrong
        onFailed(id, err);
      });
      if (outcome === 'more') more.push(id);
      if (outcome === 'completed') completed += 1;
    }
    open = more.length > 0 || isOver() ? more : await next();
  }
  return completed;
}

/** SQL: a process of the former version ended the first walk of an erasure. */
const lacksRewalk = '(rewalk_after IS NULL AND rewalked_at IS NULL)';

// Transactions get their numbers in the order in which they begin to write. A restored database may count from a lower number.
const mayRewalk = `
  (pg_snapshot_xmin(pg_current_snapshot()) >= rewalk_after OR pg_snapshot_xmax(pg_current_snapshot()) < rewalk_after)`;

/**
 * SQL: since when something can be done for the erasure `e`; in the future or null: not now. Each check of what waits sets the time of the next
 * one, so that other erasures have their turns first.
 */
const dueSince = `
  CASE WHEN walked_at IS NULL THEN LEAST(created_at, now())
    WHEN rewalked_at IS NULL AND (${lacksRewalk} OR ${mayRewalk}) THEN walked_at
    ELSE COALESCE((SELECT min(q.look_at) FROM erasure_queue q WHERE q.erasure_id = e.id), rewalked_at) END`;

/**
 * For each workspace, up to 20 new erasures and up to 20 that wait, in both cases those that have been due for the longest time. Those of $1 are left
 * out. So the thousands of requests of one workspace do not delay others, and new erasures do not delay those that wait. An erasure that failed is due
 * again later, so that one that always fails does not delay others.
 */
const running = `
  SELECT id FROM (
    SELECT id, since, is_new, row_number() OVER (PARTITION BY workspace_id, is_new ORDER BY since, id) AS turn FROM (
      SELECT id, workspace_id, is_new, GREATEST(due, failed_at + ${againInSeconds} * interval '1 second') AS since FROM (
        SELECT id, workspace_id, walked_at IS NULL AS is_new, failed_at, ${dueSince} AS due FROM erasures e
        WHERE status = 'running' AND id <> ALL($1::uuid[])
      ) e WHERE due <= now()
    ) e WHERE since <= now()
  ) e WHERE turn <= 20 ORDER BY turn, is_new DESC, since, id LIMIT 500`;

const noteFailure = 'UPDATE erasures SET failed_at = now() WHERE id = $1';

async function advance(db: Database, key: Buffer, id: string, onCancelled: OnCancelled): Promise<'more' | 'waits' | 'completed'> {
  const [erasure] = await select<Erasure>(db, load, [id]);
  if (erasure === undefined) return 'waits';
  if (erasure.walked_at === null) {
    // First, so that nothing more is sent to the recipient. Again at the end, for what was added meanwhile.
    if (erasure.place === null) await erase(db, key, erasure, false);
    await onCancelled(await walk(db, key, erasure, endFirstPage));
    return 'more';
  }
  if (erasure.lacks_rewalk) {
    await select(db, prepareRewalk, [id, highestId]);
    return 'more';
  }
  if (erasure.rewalked_at === null && erasure.may_rewalk) {
    await onCancelled(await walk(db, key, erasure, endSecondPage));
    return 'more';
  }
  const ids = await dueForErasure(db, id);
  await onCancelled(await cancelErased(db, ids));
  await eraseOrQueue(db, key, { cause: id, ids, againInSeconds });
  if (ids.length === erasurePage) return 'more';
  if (erasure.rewalked_at === null || (await waitsForMessages(db, id))) return 'waits';
  await erase(db, key, erasure, true);
  await select(db, complete, [id]);
  return 'completed';
}

const load = `
  SELECT id, workspace_id, recipient, place, walked_at, rewalked_at, created_at,
    ${lacksRewalk} AS lacks_rewalk, ${mayRewalk} AS may_rewalk
  FROM erasures WHERE id = $1 AND status = 'running' AND recipient IS NOT NULL`;
const complete = `
  UPDATE erasures SET status = 'completed', recipient = NULL, completed_at = now() WHERE id = $1 AND status = 'running'`;

const erase = (db: Database, key: Buffer, { workspace_id, recipient, created_at }: Erasure, isAgain: boolean): Promise<void> =>
  eraseRecipient(db, key, { workspaceId: workspace_id, recipient, at: created_at, isAgain });

/**
 * The next page of messages, newest first. Erases those that have ended, cancels those that were not handed off, and queues the others. All
 * messages are walked through twice: a transaction that stored some may have committed after the first walk had passed their place.
 * @param endPage SQL: notes how far it came
 * @returns the workflows of cancelled messages
 */
async function walk(
  db: Database,
  key: Buffer,
  { id, workspace_id, recipient, place, created_at }: Erasure,
  endPage: string,
): Promise<string[]> {
  const [, otherSpelling = null] = phoneSpellings(recipient);
  const ids = await selectIds(db, nextOf, [workspace_id, recipient, created_at, place ?? highestId, otherSpelling]);
  const cancelled = await cancelErased(db, ids);
  await eraseOrQueue(db, key, { cause: id, ids, againInSeconds });
  const isLast = ids.length < erasurePage;
  await select(db, endPage, [id, isLast ? highestId : ids.at(-1), isLast]);
  return cancelled;
}

const written = (condition: string) => `(
    SELECT id FROM messages m WHERE ${condition} AND workspace_id = $1 AND ${isRequestedBy('$3')} AND id < $4 ORDER BY id DESC LIMIT ${erasurePage})`;

/** Some numbers are written in two ways. */
const nextOf = `
  SELECT id FROM (
    ${[...recipientConditions('$2'), '"to" = $5'].map(written).join(' UNION ALL ')}
  ) m ORDER BY id DESC LIMIT ${erasurePage}`;

// The number of this transaction is above those of all that have written. The end of its snapshot is only above those that have ended.
const endFirstPage = `
  UPDATE erasures SET place = $2, walked_at = CASE WHEN $3 THEN now() END, rewalk_after = CASE WHEN $3 THEN pg_current_xact_id() END
  WHERE id = $1`;
const prepareRewalk = `
  UPDATE erasures SET place = $2, rewalk_after = pg_current_xact_id() WHERE id = $1 AND rewalk_after IS NULL`;
const endSecondPage = 'UPDATE erasures SET place = $2, rewalked_at = CASE WHEN $3 THEN now() END WHERE id = $1';
