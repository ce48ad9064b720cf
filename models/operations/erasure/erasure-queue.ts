/** Messages that are to be erased but are still open. Each has a time of its next check. */
import { type Database, select, selectIds } from '../../db/database.js';
import { lowestId } from '../../rules/values/id-time.js';
import { type Cause, eraseMessages, erasurePage } from './erase-messages.js';

const idOf = (cause: Cause): string => cause ?? lowestId;

/** Adds messages to the queue, or sets their next check. */
async function eraseLater(db: Database, cause: Cause, ids: readonly string[], inSeconds: number): Promise<void> {
  if (ids.length > 0) await select(db, put, [idOf(cause), ids, inSeconds]);
}

const put = `
  INSERT INTO erasure_queue AS q (erasure_id, message_id, look_at)
  SELECT $1, id, now() + $3 * interval '1 second' FROM unnest($2::uuid[]) AS given (id) JOIN messages m USING (id) WHERE m.erased_at IS NULL ORDER BY id
  ON CONFLICT (erasure_id, message_id) DO UPDATE SET look_at = excluded.look_at`;

/** A page of the messages whose check is due. */
export function dueForErasure(db: Database, cause: Cause): Promise<string[]> {
  return selectIds(db, due, [idOf(cause), erasurePage]);
}

const due = `
  SELECT message_id AS id FROM erasure_queue WHERE erasure_id = $1 AND look_at <= now() ORDER BY look_at, message_id LIMIT $2`;

/**
 * Erases those of these messages that have ended. Erased and deleted messages leave the queue. The others are checked again later.
 * @param kept ids of messages that are not erased now
 * @returns how many were erased
 */
export async function eraseOrQueue(
  db: Database,
  key: Buffer,
  { cause, ids, kept = [], againInSeconds }: { cause: Cause; ids: readonly string[]; kept?: readonly string[]; againInSeconds: number },
): Promise<number> {
  if (ids.length === 0) return 0;
  const erased = await eraseMessages(
    db,
    key,
    ids.filter((id) => !kept.includes(id)),
    cause,
  );
  const gone = new Set(erased);
  await eraseLater(
    db,
    cause,
    ids.filter((id) => !gone.has(id)),
    againInSeconds,
  );
  await select(db, leave, [idOf(cause), ids]);
  return erased.length;
}

const leave = `
  DELETE FROM erasure_queue WHERE erasure_id = $1 AND message_id IN (
    SELECT q.message_id FROM erasure_queue q WHERE q.erasure_id = $1 AND q.message_id = ANY($2::uuid[])
      AND NOT EXISTS (SELECT 1 FROM messages m WHERE m.id = q.message_id AND m.erased_at IS NULL)
    ORDER BY q.message_id FOR UPDATE OF q)`;

/** Whether messages of an erasure are still in the queue. */
export async function waitsForMessages(db: Database, erasureId: string): Promise<boolean> {
  return (await select(db, 'SELECT 1 FROM erasure_queue WHERE erasure_id = $1 LIMIT 1', [erasureId])).length > 0;
}
