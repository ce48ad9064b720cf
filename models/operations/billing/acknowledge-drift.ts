/** Ends a difference between a balance and its ledger, after an operator has examined it. */
import { systemOrigin } from '../../rules/audit/origin.js';
import { toCredits } from '../../rules/billing/credits.js';
import { makeId } from '../../rules/values/make-id.js';
import { type Database, inTransaction, select } from '../../db/database.js';
import type { Workspace } from '../../tables/workspace.js';
import { lockWorkspace } from '../accounts/as-caller.js';
import { recordAuditEvent } from '../audit/record-audit-event.js';
import { correctionPrefix, readLedger } from './audit-ledgers.js';

/**
 * Accepts the present balance of a workspace as right: posts an entry of the difference, which leaves the balance as it is. The audit and
 * `checkLedgers` accept what strayed before it.
 * @returns the amount of the correction, in thousandths of a credit
 */
export async function acknowledgeDrift(db: Database, { id, name }: Pick<Workspace, 'id' | 'name'>): Promise<number> {
  // Most of a long ledger is read before the row is locked, because sends of the workspace wait for the lock.
  const { after, sum, strayed } = await readLedger(db, id);
  return inTransaction(db, async (transaction) => {
    // Alone: a statement that waited for the row would not see the entries that were posted meanwhile.
    await lockWorkspace(db, transaction, id);
    const [found] = await select<{ missing: number }>(db, missing, [id, after, sum], transaction);
    const amount = found?.missing ?? 0;
    const parts = partsOf(amount, typeof strayed === 'number');
    for (const [part, above] of parts) await select(db, correct, [makeId(), id, part, above, correctionPrefix], transaction);
    await select(db, mark, [id], transaction);
    if (parts.length > 0) {
      const event = { workspaceId: id, type: 'billing.ledger_corrected', target: { type: 'workspace', id, name } } as const;
      await recordAuditEvent(db, transaction, systemOrigin('operator'), { ...event, changes: { credits: toCredits(amount) } });
    }
    return amount;
  });
}

/**
 * The amounts to post, each with how far the ledger is above the balance after it. No entry has the amount 0, so if entries strayed and
 * the sum is right, two entries accept them.
 */
function partsOf(amount: number, hasStrayed: boolean): [amount: number, above: number][] {
  if (amount !== 0) return [[amount, 0]];
  return hasStrayed
    ? [
        [1, 1],
        [-1, 0],
      ]
    : [];
}

const missing = `
  SELECT w.balance - $3::bigint - (
    SELECT COALESCE(sum(e.amount), 0)::bigint FROM credit_entries e WHERE e.workspace_id = w.id AND e.number > $2) AS missing
  FROM workspaces w WHERE w.id = $1`;

const description = 'Correction of the ledger to the balance. The balance did not change';
// The trigger numbers it. Of two entries, the second leads back to the balance.
const correct = `
  INSERT INTO credit_entries (id, workspace_id, kind, amount, balance_after, reference, description)
  SELECT $1::uuid, id, 'adjustment', $3::bigint, balance + $4::bigint, $5 || $1::uuid, '${description}' FROM workspaces WHERE id = $2`;

const mark = `
  INSERT INTO ledger_marks (workspace_id, number, balance) SELECT id, entry_count, balance FROM workspaces WHERE id = $1
  ON CONFLICT (workspace_id) DO UPDATE SET number = EXCLUDED.number, balance = EXCLUDED.balance`;
