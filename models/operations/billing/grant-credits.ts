import { makeId } from '../../rules/values/make-id.js';
import { type Database, inTransaction, select } from '../../db/database.js';
import { creditsText, formatCredits } from '../../rules/billing/credits.js';
import { systemOrigin } from '../../rules/audit/origin.js';
import type { Workspace } from '../../tables/workspace.js';
import { recordAuditEvent } from '../audit/record-audit-event.js';
import { credit } from './post-credits.js';

/** Credits from an operator. */
export interface Grant {
  /** Thousandths of a credit. */
  amount: number;
  reason: string;
  /** A name for the grant, such as an invoice number. A grant with the same name is posted once, and refused with another amount. */
  reference?: string | undefined;
}

/**
 * Adds credits to a workspace manually. They pay its debt first.
 * @returns the balance, and whether this call posted the grant
 * @throws Error if the reference was used for another amount
 */
export function grantCredits(
  db: Database,
  { id, name }: Pick<Workspace, 'id' | 'name'>,
  { amount, reason, reference }: Grant,
): Promise<{ balance: number; isNew: boolean }> {
  const posting = { reference: `operator:${id}:${reference ?? makeId()}`, amount, description: reason };
  return inTransaction(db, async (transaction) => {
    // A concurrent call waits here, and then finds the entry of the first.
    await select(db, 'SELECT 1 FROM workspaces WHERE id = $1 FOR NO KEY UPDATE', [id], transaction);
    const [earlier] = await select<{ amount: number }>(db, posted, [posting.reference], transaction);
    const isNew = earlier === undefined;
    if (!isNew && earlier.amount !== amount) {
      const [used, given] = [creditsText(earlier.amount), formatCredits(amount)];
      throw new Error(`the reference ${reference} was used for ${used}, not for ${given}`);
    }
    if (isNew) {
      await credit(db, transaction, id, { kind: 'adjustment', ...posting });
      const event = { workspaceId: id, type: 'billing.credits_granted', target: { type: 'workspace', id, name } } as const;
      await recordAuditEvent(db, transaction, systemOrigin('operator'), { ...event, changes: { credits: amount / 1000, reason } });
    }
    const [row] = await select<{ balance: number }>(db, 'SELECT balance FROM workspaces WHERE id = $1', [id], transaction);
    return { balance: row?.balance ?? 0, isNew };
  });
}

const posted = `SELECT amount FROM credit_entries WHERE kind = 'adjustment' AND reference = $1`;
