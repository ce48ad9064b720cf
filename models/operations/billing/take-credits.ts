import { type Database, inTransaction, select, type Transaction } from '../../db/database.js';
import { systemOrigin } from '../../rules/audit/origin.js';
import { toCredits } from '../../rules/billing/credits.js';
import { makeId } from '../../rules/values/make-id.js';
import type { Workspace } from '../../tables/workspace.js';
import { recordAuditEvent } from '../audit/record-audit-event.js';
import { balanceAndDebt, type ChangedCredits, isPosted, type ManualChange, referenceOf } from './grant-credits.js';
import { addDebt, lockFunds, postEntries, takeBack } from './post-credits.js';

/**
 * Takes credits from a workspace manually, also from a closed one. What its balance lacks becomes debt.
 * @throws Error if the reference was used for another amount
 */
export function takeCredits(
  db: Database,
  { id, name }: Pick<Workspace, 'id' | 'name'>,
  { amount, reason, reference: given }: ManualChange,
): Promise<ChangedCredits> {
  const reference = referenceOf(id, given);
  return inTransaction(db, async (transaction) => {
    const { balance } = await lockFunds(db, transaction, id); // a concurrent call waits here, and then finds the entry of the first
    const isNew = !(await isPosted(db, transaction, id, { reference, amount: -amount }));
    if (isNew) {
      if (amount > balance) await lend(db, transaction, id, amount - balance);
      await takeBack(db, transaction, id, { reference, amount, description: reason });
      const event = { workspaceId: id, type: 'billing.credits_taken', target: { type: 'workspace', id, name } } as const;
      await recordAuditEvent(db, transaction, systemOrigin('operator'), { ...event, changes: { credits: toCredits(amount), reason } });
    }
    return { ...(await balanceAndDebt(db, transaction, id)), isNew };
  });
}

/**
 * Adds what the balance lacks for an amount that is taken, as debt. So the ledger has the whole amount and every debt of which no order knows, as the audit
 * requires (`auditLedger`).
 */
async function lend(db: Database, transaction: Transaction, workspaceId: string, lacking: number): Promise<void> {
  const posting = { reference: `debt:${makeId()}`, amount: lacking, description: 'Debt, which the next credits pay' };
  await postEntries(db, transaction, workspaceId, { kind: 'adjustment', postings: [posting] });
  await select(db, addDebt, [workspaceId, lacking], transaction);
}
