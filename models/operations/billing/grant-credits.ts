import { makeId } from '../../rules/values/make-id.js';
import { type Database, inTransaction, select, type Transaction } from '../../db/database.js';
import { creditsText, toCredits } from '../../rules/billing/credits.js';
import { systemOrigin } from '../../rules/audit/origin.js';
import { entryKinds } from '../../tables/credit-entry.js';
import type { Workspace } from '../../tables/workspace.js';
import { recordAuditEvent } from '../audit/record-audit-event.js';
import { credit, type Posting } from './post-credits.js';

/** Credits that an operator adds or takes. */
export interface ManualChange {
  /** Thousandths of a credit. */
  amount: number;
  reason: string;
  /** A name for the change, such as an invoice number. A change with the same name is posted once, and refused with another amount. */
  reference?: string | undefined;
}

/** What a workspace has after the change, in thousandths of a credit. */
export interface ChangedCredits {
  balance: number;
  debt: number;
  /** This call posted the change. */
  isNew: boolean;
}

/**
 * Adds credits to a workspace manually. They pay its debt first.
 * @throws Error if the reference was used for another amount, or the workspace is closed
 */
export function grantCredits(
  db: Database,
  { id, name }: Pick<Workspace, 'id' | 'name'>,
  { amount, reason, reference }: ManualChange,
): Promise<ChangedCredits> {
  const posting = { reference: referenceOf(id, reference), amount, description: reason };
  return inTransaction(db, async (transaction) => {
    // A concurrent call waits here, and then finds the entry of the first.
    await lockOpen(db, transaction, id);
    const isNew = !(await isPosted(db, transaction, id, posting));
    if (isNew) {
      await credit(db, transaction, id, { kind: 'adjustment', ...posting });
      const event = { workspaceId: id, type: 'billing.credits_granted', target: { type: 'workspace', id, name } } as const;
      await recordAuditEvent(db, transaction, systemOrigin('operator'), { ...event, changes: { credits: toCredits(amount), reason } });
    }
    return { ...(await balanceAndDebt(db, transaction, id)), isNew };
  });
}

/** The reference of the ledger entry. @param name of the operator; a new one if there is none */
export const referenceOf = (id: string, name: string = makeId()): string => `operator:${id}:${name}`;

/**
 * Whether an earlier call posted the change. To be called under the lock of the workspace.
 * @param amount what the ledger entry has: negative for credits that are taken
 * @throws Error if the reference was used for another change: credits that are added and those that are taken share the references
 */
export async function isPosted(
  db: Database,
  transaction: Transaction,
  id: string,
  { reference, amount }: Pick<Posting, 'reference' | 'amount'>,
): Promise<boolean> {
  const [earlier] = await select<{ amount: number }>(db, posted, [reference, entryKinds], transaction);
  if (earlier === undefined || earlier.amount === amount) return earlier !== undefined;
  const name = reference.slice(referenceOf(id, '').length);
  throw new Error(`the reference ${name} was used to ${earlier.amount < 0 ? 'take' : 'add'} ${creditsText(Math.abs(earlier.amount))}`);
}

/** Of any kind. The kinds are named for the index. */
const posted = 'SELECT amount FROM credit_entries WHERE kind = ANY($2) AND reference = $1';

/** Locks a workspace that gets credits. @throws Error if it is closed */
export async function lockOpen(db: Database, transaction: Transaction, id: string): Promise<void> {
  const sql = 'SELECT closed_at IS NOT NULL AS is_closed FROM workspaces WHERE id = $1 FOR NO KEY UPDATE';
  const [row] = await select<{ is_closed: boolean }>(db, sql, [id], transaction);
  if (row?.is_closed === true) throw new Error(`the workspace ${id} is closed: nobody could use the credits`);
}

/** What the workspace has now. */
export async function balanceAndDebt(
  db: Database,
  transaction: Transaction,
  id: string,
): Promise<Pick<ChangedCredits, 'balance' | 'debt'>> {
  const sql = 'SELECT balance, debt FROM workspaces WHERE id = $1';
  const [row] = await select<{ balance: number; debt: number }>(db, sql, [id], transaction);
  return row ?? { balance: 0, debt: 0 };
}
