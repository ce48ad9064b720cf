/** Suspension by an operator: a suspended workspace sends nothing. */
import { type Database, inTransaction, select, type Transaction } from '../../db/database.js';
import { systemOrigin } from '../../rules/audit/origin.js';
import type { Workspace } from '../../tables/workspace.js';
import { type AuditRecord, recordAuditEvent } from '../audit/record-audit-event.js';

/**
 * Suspends a workspace. From now on its sends are refused, and due messages fail at their hand-off and are refunded. Calls in progress
 * complete. A closed workspace sends nothing, and nothing would remove the reason, which may name its owner.
 * @returns false if it was suspended already. Then only the reason changes; the audit log has an event of each call
 * @throws Error if the workspace is closed
 */
export function suspend(db: Database, workspace: Workspace, reason: string): Promise<boolean> {
  return inTransaction(db, async (transaction) => {
    const [stored] = await select<{ is_new: boolean }>(db, store, [workspace.id, reason], transaction);
    if (stored === undefined) throw new Error(`the workspace ${workspace.id} is closed, so it sends nothing and cannot be suspended`);
    await recordSuspension(db, transaction, workspace, { type: 'workspace.suspended', changes: { reason } });
    return stored.is_new;
  });
}

const store = `
  INSERT INTO suspensions (workspace_id, reason) SELECT id, $2 FROM workspaces WHERE id = $1 AND closed_at IS NULL
  ON CONFLICT (workspace_id) DO UPDATE SET reason = excluded.reason RETURNING xmax = 0 AS is_new`;

/** Ends a suspension. @returns false if the workspace was not suspended */
export function resume(db: Database, workspace: Workspace): Promise<boolean> {
  return inTransaction(db, async (transaction) => {
    const sql = 'DELETE FROM suspensions WHERE workspace_id = $1 RETURNING reason';
    if ((await select(db, sql, [workspace.id], transaction)).length === 0) return false;
    await recordSuspension(db, transaction, workspace, { type: 'workspace.resumed', changes: {} });
    return true;
  });
}

async function recordSuspension(
  db: Database,
  transaction: Transaction,
  { id, name }: Workspace,
  event: Pick<AuditRecord, 'type' | 'changes'>,
): Promise<void> {
  const target = { type: 'workspace', id, name } as const;
  await recordAuditEvent(db, transaction, systemOrigin('operator'), { workspaceId: id, target, ...event });
}
