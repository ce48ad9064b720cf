import { type Database, inTransaction } from '../database.js';
import { wrongPassword } from '../errors.js';
import { ifPasswordFits } from '../passwords.js';
import { actingAs, type Origin } from '../rules/audit/origin.js';
import { Workspace } from '../workspace.js';
import { recordAuditEvent } from './audit/record-audit-event.js';

/**
 * The workspace with this address and password.
 * @throws AppError 401, after the same time whether the address is unknown or the password wrong; 503 when too many log in at once
 */
export async function logIn(db: Database, { email, password }: { email: string; password: string }, origin: Origin): Promise<Workspace> {
  const workspace = await ifPasswordFits(() => Workspace.byEmail(email), password);
  if (workspace === null) throw wrongPassword();
  const target = { type: 'workspace', id: workspace.id, name: workspace.name };
  await inTransaction(db, (transaction) =>
    recordAuditEvent(db, transaction, actingAs(origin, workspace), { workspaceId: workspace.id, type: 'auth.login', target }),
  );
  return workspace;
}
