/** The operator's switch: a suspended workspace sends nothing. */
import { type Database, inTransaction, select, type Transaction } from '../../db/database.js';
import type { AuditType } from '../../rules/audit/audit-types.js';
import { systemOrigin } from '../../rules/audit/origin.js';
import type { Workspace } from '../../tables/workspace.js';
import { recordAuditEvent } from '../audit/record-audit-event.js';

/**
 * Stops a workspace: from now on its sends are refused, and what is due fails at its hand-off, refunded. Calls that are under way end.
 * @returns false when it was suspended already; its reason is the new one then
 */
export function suspend(db: Database, workspace: Workspace, reason: string): Promise<boolean> {
  return inTransaction(db, async (transaction) => {
    const [stored] = await select<{ is_new: boolean }>(db, store, [workspace.id, reason], transaction);
    await tell(db, transaction, workspace, 'workspace.suspended', { reason });
    return stored?.is_new === true;
  });
}

const store = `
  INSERT INTO suspensions (workspace_id, reason) VALUES ($1, $2)
  ON CONFLICT (workspace_id) DO UPDATE SET reason = excluded.reason RETURNING xmax = 0 AS is_new`;

/** Lets it send again. @returns false when it was not suspended */
export function resume(db: Database, workspace: Workspace): Promise<boolean> {
  return inTransaction(db, async (transaction) => {
    const sql = 'DELETE FROM suspensions WHERE workspace_id = $1 RETURNING reason';
    if ((await select(db, sql, [workspace.id], transaction)).length === 0) return false;
    await tell(db, transaction, workspace, 'workspace.resumed', {});
    return true;
  });
}

async function tell(db: Database, transaction: Transaction, { id, name }: Workspace, type: AuditType, changes: object): Promise<void> {
  const target = { type: 'workspace', id, name };
  await recordAuditEvent(db, transaction, systemOrigin('operator'), { workspaceId: id, type, target, changes: { ...changes } });
}
