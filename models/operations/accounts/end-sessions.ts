/** Logging out: ends one JWT, or all of them. Takes effect for every request that begins afterwards. */
import { type Database, inTransaction, select, type Transaction } from '../../db/database.js';
import type { AuditTarget } from '../../rules/audit/audit-types.js';
import type { Changes } from '../../rules/audit/changes.js';
import { type Origin, withoutCredential } from '../../rules/audit/origin.js';
import type { OpenSession } from '../../tables/open-session.js';
import { recordAuditEvent } from '../audit/record-audit-event.js';
import { asCaller, lockWorkspace } from './as-caller.js';

/** The JWT of a request, by its id. */
export interface Session {
  id: string;
  expiresAt: Date;
}

/** Ends one JWT. */
export async function endSession(db: Database, workspaceId: string, session: Session, origin: Origin): Promise<void> {
  await end(db, { workspaceId, sql: revoke, bind: [workspaceId, session.id, session.expiresAt], changes: null }, origin);
}

/** Ends a session that its owner has chosen in the list. @returns false if it has ended already; @throws AppError unauthorized */
export function endOpenSession(db: Database, { id, workspace_id, kind, expires_at }: OpenSession, origin: Origin): Promise<boolean> {
  const target = { type: 'session', id, name: kind } as const;
  const ending = { workspaceId: workspace_id, sql: revoke, bind: [workspace_id, id, expires_at], changes: null, target };
  return asCaller(db, workspace_id, origin, (transaction) => endIn(db, transaction, ending, origin));
}

/** Ends every JWT of a workspace. @param more what the audit event also contains */
export async function endAllSessions(db: Database, workspaceId: string, origin: Origin, more: Changes = {}): Promise<void> {
  await end(db, { workspaceId, sql: revokeAll, bind: [workspaceId], changes: { all: true, ...more } }, origin);
}

/** Deletes the rows of sessions that have just ended, because the token version of their workspace was changed. */
export async function deleteSessions(db: Database, transaction: Transaction, workspaceId: string): Promise<void> {
  await select(db, removeAll, [workspaceId], transaction);
}

/**
 * SQL: another token version of a workspace, which it has most probably never had. A restore of the database sets the version back, so a
 * counter would reach those of the lost time again, and with them JWTs that were ended. `#` is XOR, so it always differs from the present one.
 */
export const newTokenVersion = 'token_version # (1 + floor(random() * 1073741822)::integer)';

/** Locks the rows in the order of their ids, as the record of their uses does. */
const removeAll = 'DELETE FROM sessions WHERE id IN (SELECT id FROM sessions WHERE workspace_id = $1 ORDER BY id FOR UPDATE)';

interface Ending {
  workspaceId: string;
  sql: string;
  bind: unknown[];
  changes: Changes | null;
  /** Default: the workspace. */
  target?: { type: AuditTarget; id: string; name: string };
}

/** Also with a credential that has ended meanwhile: the end of the session is what the caller wants. */
function end(db: Database, ending: Ending, origin: Origin): Promise<boolean> {
  return inTransaction(db, async (transaction) => {
    await lockWorkspace(db, transaction, ending.workspaceId); // the order with `asCaller`
    return endIn(db, transaction, ending, withoutCredential(origin));
  });
}

async function endIn(db: Database, transaction: Transaction, ending: Ending, origin: Origin): Promise<boolean> {
  const { workspaceId, sql, bind, changes } = ending;
  const [ended] = await select<{ name: string }>(db, sql, bind, transaction);
  if (ended === undefined) return false; // two concurrent calls: the other one has recorded it
  const target = ending.target ?? ({ type: 'workspace', id: workspaceId, name: ended.name } as const);
  await recordAuditEvent(db, transaction, origin, { workspaceId, type: 'auth.logout', target, changes });
  return true;
}

const revoke = `
  WITH revoked AS (
    INSERT INTO revoked_tokens (id, workspace_id, expires_at) VALUES ($2, $1, $3) ON CONFLICT DO NOTHING RETURNING id, workspace_id
  ), ended AS (DELETE FROM sessions s USING revoked r WHERE s.id = r.id)
  SELECT w.name FROM workspaces w JOIN revoked r ON r.workspace_id = w.id`;
const revokeAll = `
  WITH ended AS (${removeAll})
  UPDATE workspaces SET token_version = ${newTokenVersion}, updated_at = now() WHERE id = $1 RETURNING name`;
