import { type Database, inTransaction, select, type Transaction } from '../../db/database.js';
import { systemOrigin } from '../../rules/audit/origin.js';
import { toCredits } from '../../rules/billing/credits.js';
import { makeId } from '../../rules/values/make-id.js';
import type { Workspace } from '../../tables/workspace.js';
import { recordAuditEvent } from '../audit/record-audit-event.js';
import { balanceAndDebt, type Granted } from './grant-credits.js';
import { addDebt, lockFunds, postEntries, takeBack } from './post-credits.js';

/**
 * Takes credits from a workspace manually, also from a closed one. What its balance lacks becomes debt.
 * @param amount thousandths of a credit
 */
export function takeCredits(
  db: Database,
  { id, name }: Pick<Workspace, 'id' | 'name'>,
  { amount, reason }: { amount: number; reason: string },
): Promise<Omit<Granted, 'isNew'>> {
  return inTransaction(db, async (transaction) => {
    await lend(db, transaction, id, amount);
    await takeBack(db, transaction, id, { reference: `operator:${id}:${makeId()}`, amount, description: reason });
    const event = { workspaceId: id, type: 'billing.credits_taken', target: { type: 'workspace', id, name } } as const;
    await recordAuditEvent(db, transaction, systemOrigin('operator'), { ...event, changes: { credits: toCredits(amount), reason } });
    return balanceAndDebt(db, transaction, id);
  });
}

/**
 * Adds what the balance lacks for an amount, as debt. So the ledger has the whole amount and every debt of which no order knows, as the audit
 * requires (`auditLedger`).
 */
async function lend(db: Database, transaction: Transaction, workspaceId: string, amount: number): Promise<void> {
  const lacking = amount - (await lockFunds(db, transaction, workspaceId)).balance;
  if (lacking <= 0) return;
  const posting = { reference: `debt:${makeId()}`, amount: lacking, description: 'Debt, which the next credits pay' };
  await postEntries(db, transaction, workspaceId, { kind: 'adjustment', postings: [posting] });
  await select(db, addDebt, [workspaceId, lacking], transaction);
}
