/** Logging out: ends one JWT, or all of them. Takes effect for every request that begins afterwards. */
import { type Database, inTransaction, select } from '../../db/database.js';
import type { Changes } from '../../rules/audit/changes.js';
import { type Origin, withoutCredential } from '../../rules/audit/origin.js';
import { recordAuditEvent } from '../audit/record-audit-event.js';
import { lockWorkspace } from './as-caller.js';

/** The JWT of a request, by its id. */
export interface Session {
  id: string;
  expiresAt: Date;
}

/** Ends one JWT. */
export function endSession(db: Database, workspaceId: string, session: Session, origin: Origin): Promise<void> {
  return end(db, { workspaceId, sql: revoke, bind: [workspaceId, session.id, session.expiresAt], changes: null }, origin);
}

/** Ends every JWT of a workspace. @param more what the audit event also tells */
export function endAllSessions(db: Database, workspaceId: string, origin: Origin, more: Changes = {}): Promise<void> {
  return end(db, { workspaceId, sql: revokeAll, bind: [workspaceId], changes: { all: true, ...more } }, origin);
}

interface Ending {
  workspaceId: string;
  sql: string;
  bind: unknown[];
  changes: Changes | null;
}

function end(db: Database, { workspaceId, sql, bind, changes }: Ending, origin: Origin): Promise<void> {
  return inTransaction(db, async (transaction) => {
    await lockWorkspace(db, transaction, workspaceId); // the order with `asCaller`
    const [ended] = await select<{ name: string }>(db, sql, bind, transaction);
    if (ended === undefined) return; // two concurrent calls: the other one has recorded it
    const target = { type: 'workspace', id: workspaceId, name: ended.name };
    await recordAuditEvent(db, transaction, withoutCredential(origin), { workspaceId, type: 'auth.logout', target, changes });
  });
}

const revoke = `
  WITH revoked AS (
    INSERT INTO revoked_tokens (id, workspace_id, expires_at) VALUES ($2, $1, $3) ON CONFLICT DO NOTHING RETURNING workspace_id
  )
  SELECT w.name FROM workspaces w JOIN revoked r ON r.workspace_id = w.id`;
const revokeAll = 'UPDATE workspaces SET token_version = token_version + 1, updated_at = now() WHERE id = $1 RETURNING name';
