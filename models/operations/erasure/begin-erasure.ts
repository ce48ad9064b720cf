import { makeId } from '../../rules/values/make-id.js';
import { type Database, select, selectOne } from '../../db/database.js';
import { notFound } from '../../errors.js';
import type { Origin } from '../../rules/audit/origin.js';
import { isUuid } from '../../rules/values/text.js';
import { asCaller } from '../accounts/as-caller.js';
import { recordAuditEvent } from '../audit/record-audit-event.js';

/** The public view of an erasure. */
export interface ErasureView {
  id: string;
  status: 'running' | 'completed';
  /** How many are erased so far. */
  messages: number;
}

/**
 * Requests the erasure of a recipient. The watcher carries it out, in its next run.
 * @param recipient as `recipientKey` returns it
 * @throws AppError unauthorized if the credential has ended
 */
export function beginErasure(db: Database, workspaceId: string, recipient: string, origin: Origin): Promise<ErasureView> {
  return asCaller(db, workspaceId, origin, async (transaction) => {
    const begun = await selectOne<ErasureView>(db, insert, [makeId(), workspaceId, recipient], transaction);
    const target = { type: 'erasure', id: begun.id, name: null } as const;
    await recordAuditEvent(db, transaction, origin, { workspaceId, type: 'workspace.erasure_requested', target });
    return begun;
  });
}

const newestIn = (table: string) => `(SELECT created_at FROM ${table} WHERE workspace_id = $2 ORDER BY id DESC LIMIT 1)`;

/**
 * An erasure includes what was created up to its own `created_at`. Messages, contacts and batches have the time of an API process, whose clock may
 * be ahead of PostgreSQL's. So the request gets the time of the newest of them if that is later, by five seconds at most: the limit of the alert
 * `TidingsClockOff`.
 */
const insert = `
  INSERT INTO erasures (id, workspace_id, recipient, status, created_at)
  SELECT $1, $2, $3, 'running', LEAST(
    now() + interval '5 seconds', GREATEST(now(), ${newestIn('messages')}, ${newestIn('contacts')}, ${newestIn('batches')}))
  RETURNING id, status, messages`;

/** @throws AppError not_found in the same way for unknown, malformed and foreign ids */
export async function findErasure(db: Database, workspaceId: string, id: string): Promise<ErasureView> {
  const [found] = isUuid(id) ? await select<ErasureView>(db, find, [id, workspaceId]) : [];
  if (found === undefined) throw notFound('Erasure');
  return found;
}

const find = 'SELECT id, status, messages FROM erasures WHERE id = $1 AND workspace_id = $2';
