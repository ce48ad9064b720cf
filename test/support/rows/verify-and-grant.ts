import { type Database, inTransaction, select } from '../../../models/db/database.js';
import { credit } from '../../../models/operations/billing/post-credits.js';

/** Verifies the e-mail of a workspace and grants it credits. With a real carrier a new workspace has no credits and may not send. */
export async function verifyAndGrant(db: Database, workspaceId: string, thousandths = 100_000): Promise<void> {
  await select(db, 'UPDATE workspaces SET email_verified = true WHERE id = $1', [workspaceId]);
  const granted = await select(db, `SELECT 1 FROM credit_entries WHERE kind = 'grant' AND reference = $1`, [workspaceId]);
  if (granted.length > 0) return;
  const grant = { kind: 'grant', reference: workspaceId, amount: thousandths, description: 'Signup credits' } as const;
  await inTransaction(db, (transaction) => credit(db, transaction, workspaceId, grant));
}
